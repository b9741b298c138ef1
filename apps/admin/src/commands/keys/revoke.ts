import { toUtcSeconds } from '@pts/core/time';
import { revokeKey } from '@pts/db/accounts/keys';
import { databaseCommand } from '../../database-command.ts';
import { Problem } from '../../problem.ts';

export const keysRevoke = databaseCommand({
  name: 'keys revoke',
  audited: 'after',
  takes: ['keyId'],
  options: {},
  about: 'Revoke one API key within a second. `accounts show` lists the ids.',
  async run({ db, now }, { keyId }) {
    const at = now();
    if (!(await revokeKey(db, { id: keyId }, at)))
      throw new Problem(`No such active key: ${keyId}. \`accounts show\` lists the keys of an account.`);
    return { lines: [`The key ${keyId} is revoked.`], json: { key: { id: keyId, revoked_at: toUtcSeconds(at) } } };
  },
});
