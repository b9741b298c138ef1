import { revokeKey as contract } from '@pts/contract/operations/keys';
import { toUtcSeconds } from '@pts/core/time';
import { revokeKey as revoke } from '@pts/service/accounts';
import { operation } from '../../http/operation.ts';

/** DELETE /keys/{id} */
export const revokeKey = operation(contract, {
  async run(deps, { account }, { id }) {
    return { id, revoked_at: toUtcSeconds(await revoke(deps, { accountId: account.id, id })) };
  },
});
