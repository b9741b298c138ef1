import * as contract from '@pts/contract/pages';
import { nothingToChange, ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { pageAddress } from '@pts/core/page';
import { brandFaults, normalUrl } from '@pts/core/page-brand';
import { findPageSettings, type PageSettings } from '@pts/db/pages';
import { changePages as change, renewPage as renew, revokePage as revoke } from '@pts/service/pages';
import { findByOrders } from '@pts/service/shipments';
import type { ApiDeps } from '../deps.ts';
import { operation } from '../http/operation.ts';

/** GET /account/pages */
export const readPages = operation(contract.getPages, {
  run: async (deps, call) => view(await findPageSettings(deps.db, call.account.id), deps, call),
});

/** PATCH /account/pages */
export const changePages = operation(contract.updatePages, {
  faults: (_deps, input) => brandFaults(input),
  async run(deps, call, input) {
    const { shop_url, support_url, notify_url, embed_origins, gone_after_days, allow_lookup, ...same } = input;
    const { enabled, name, color, logo, hide_carrier, hide_places, hide_order } = same;
    const given = {
      ...{
        enabled,
        name,
        color,
        logo,
        shopUrl: shop_url && normalUrl(shop_url),
        supportUrl: support_url && normalUrl(support_url),
        notifyUrl: notify_url && normalUrl(notify_url),
      },
      ...{ hideCarrier: hide_carrier, hidePlaces: hide_places, hideOrder: hide_order, allowLookup: allow_lookup },
      ...{ embedOrigins: embed_origins, goneAfterDays: gone_after_days },
    };
    const wanted = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    if (Object.keys(wanted).length === 0) throw nothingToChange(Object.keys(contract.pageSettingsChange.properties));
    return view(await change(deps, call.account.id, wanted), deps, call);
  },
});

function view(
  settings: PageSettings,
  { pageTokens }: Pick<ApiDeps, 'pageTokens'>,
  { account, baseUrl }: { account: { id: string }; baseUrl: string },
) {
  const isFound = settings.enabled && settings.allowLookup;
  return {
    enabled: settings.enabled,
    name: settings.name,
    color: settings.color,
    shop_url: settings.shopUrl,
    support_url: settings.supportUrl,
    notify_url: settings.notifyUrl,
    hide_carrier: settings.hideCarrier,
    hide_places: settings.hidePlaces,
    hide_order: settings.hideOrder,
    allow_lookup: settings.allowLookup,
    lookup_url: isFound ? pageAddress(baseUrl, pageTokens.sealShop(account.id)) : null,
    embed_origins: settings.embedOrigins,
    gone_after_days: settings.goneAfterDays,
    logo: settings.logo,
  };
}

/** Parcels of an order that are read for its link. */
const MAX_READ = 200;

/** GET /orders/page */
export const readOrderPage = operation(contract.getOrderPage, {
  async run(deps, { account, baseUrl }, { order_id }) {
    const found = await findByOrders(deps, { accountId: account.id, orderIds: [order_id], limit: MAX_READ });
    if (found.length === 0) throw new ServiceError('not_registered', { text: message('no_such_order') });
    const first = found.find(({ pageGeneration }) => pageGeneration !== null);
    const generation = first?.pageGeneration ?? null;
    const token = first && generation !== null ? deps.pageTokens.seal({ trackingId: first.id, generation }) : null;
    return { order_id, tracking_page_url: token && pageAddress(baseUrl, token), parcels: found.length };
  },
});

/** POST /trackings/{id}/page */
export const renewPageLink = operation(contract.renewPage, {
  async run(deps, { account, baseUrl }, { id }) {
    const generation = await renew(deps, { accountId: account.id, id });
    const token = deps.pageTokens.seal({ trackingId: id, generation });
    return { id, tracking_page_url: pageAddress(baseUrl, token) };
  },
});

/** DELETE /trackings/{id}/page */
export const revokePageLink = operation(contract.revokePage, {
  async run(deps, { account }, { id }) {
    await revoke(deps, { accountId: account.id, id });
    return { id, tracking_page_url: null };
  },
});
