import { toUtcSeconds } from '@pts/core/time';
import { revokeKey } from '@pts/db/accounts/accounts';
import { databaseCommand } from '../database-command.ts';
import { Problem } from '../problem.ts';

export const keysRevoke = databaseCommand({
  name: 'keys revoke',
  takes: ['keyId'],
  options: {},
  about: 'Revoke one API key, within a second. `accounts show` has the ids.',
  async run({ db, now }, { keyId }) {
    const at = now();
    if (!(await revokeKey(db, keyId, at)))
      throw new Problem(`There is no live key ${keyId}; \`accounts show\` has the ids of an account's keys.`);
    return { lines: [`The key ${keyId} is revoked.`], json: { key: { id: keyId, revoked_at: toUtcSeconds(at) } } };
  },
});
