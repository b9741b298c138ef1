import { listKeys as contract } from '@pts/contract/operations/keys';
import { toUtcSeconds } from '@pts/core/time';
import { listKeys as list } from '@pts/db/accounts/accounts';
import { operation } from '../../http/operation.ts';
import { viewKey } from './view.ts';

/** GET /keys */
export const listKeys = operation(contract, {
  async run({ db }, { account, key: own }) {
    const keys = (await list(db, account.id)).map((key) => ({
      ...viewKey(key, key.isTest),
      last_used_at: key.lastUsedAt && toUtcSeconds(key.lastUsedAt),
      is_current: key.id === own.id,
    }));
    return { count: keys.length, keys };
  },
});
