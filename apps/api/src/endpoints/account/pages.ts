import { getPages, updatePages } from '@pts/contract/operations/pages';
import { pageSettingsChange } from '@pts/contract/schemas/pages/settings';
import { nothingToChange } from '@pts/core/errors';
import { brandFaults, normalUrl } from '@pts/core/page-brand';
import { findPageSettings, type PageSettings } from '@pts/db/pages';
import { changePages as change } from '@pts/service/pages';
import { operation } from '../../http/operation.ts';

/** GET /account/pages */
export const readPages = operation(getPages, {
  run: async ({ db }, { account }) => view(await findPageSettings(db, account.id)),
});

/** PATCH /account/pages */
export const changePages = operation(updatePages, {
  faults: (_deps, input) => brandFaults(input),
  async run(deps, { account }, input) {
    const { shop_url, support_url, hide_carrier, hide_places, embed_origins, gone_after_days, ...same } = input;
    const { enabled, name, color, logo } = same;
    const given = {
      ...{
        enabled,
        name,
        color,
        logo,
        shopUrl: shop_url && normalUrl(shop_url),
        supportUrl: support_url && normalUrl(support_url),
      },
      ...{ hideCarrier: hide_carrier, hidePlaces: hide_places },
      ...{ embedOrigins: embed_origins, goneAfterDays: gone_after_days },
    };
    const wanted = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    if (Object.keys(wanted).length === 0) throw nothingToChange(Object.keys(pageSettingsChange.properties));
    return view(await change(deps, account.id, wanted));
  },
});

function view(settings: PageSettings) {
  return {
    enabled: settings.enabled,
    name: settings.name,
    color: settings.color,
    shop_url: settings.shopUrl,
    support_url: settings.supportUrl,
    hide_carrier: settings.hideCarrier,
    hide_places: settings.hidePlaces,
    embed_origins: settings.embedOrigins,
    gone_after_days: settings.goneAfterDays,
    logo: settings.logo,
  };
}
