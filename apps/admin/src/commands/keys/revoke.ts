import { toUtcSeconds } from '@pts/core/time';
import { accountOfKey, revokeKey } from '@pts/db/accounts/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { Problem } from '../../command-line/problem.ts';

export const keysRevoke = databaseCommand({
  name: 'keys revoke',
  audited: 'after',
  takes: ['keyId'],
  options: {},
  about: 'Revoke one API key within a second. `keys list` shows the ids.',
  async run({ db, now }, { keyId }) {
    const at = now();
    if (!(await revokeKey(db, { id: keyId }, at)))
      throw new Problem(`No such active key: ${keyId}. \`keys list ACCOUNT_ID\` lists those of an account.`);
    const accountId = await accountOfKey(db, keyId);
    return {
      lines: [`The key ${keyId} is revoked.`],
      json: { key: { id: keyId, revoked_at: toUtcSeconds(at) } },
      ...(accountId !== null && { accountIds: [accountId] }),
    };
  },
});
