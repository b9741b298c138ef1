import { renewPage, revokePage } from '@pts/contract/operations/pages';
import { pageAddress } from '@pts/core/page';
import { renewPage as renew, revokePage as revoke } from '@pts/service/pages';
import { operation } from '../../http/operation.ts';

/** POST /trackings/{id}/page */
export const renewPageLink = operation(renewPage, {
  async run(deps, { account, baseUrl }, { id }) {
    const generation = await renew(deps, { accountId: account.id, id });
    const token = deps.pageTokens.seal({ trackingId: id, generation });
    return { id, tracking_page_url: pageAddress(baseUrl, token) };
  },
});

/** DELETE /trackings/{id}/page */
export const revokePageLink = operation(revokePage, {
  async run(deps, { account }, { id }) {
    await revoke(deps, { accountId: account.id, id });
    return { id, tracking_page_url: null };
  },
});
