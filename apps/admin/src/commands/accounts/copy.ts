import { findAccount } from '@pts/db/accounts/accounts';
import { type Copied, copyAccount, countUnfinished } from '@pts/db/accounts/personal-data';
import type { Db } from '@pts/db/connection/client';
import { isOneDatabase } from '@pts/db/connection/one-database';
import { keyFits } from '@pts/db/migrate/installation';
import { createKeyring, type Keyring } from '@pts/runtime/encryption/keyring';
import { installationTokenKeys, packTokenKeys } from '@pts/runtime/encryption/token-keys';
import { loadConfig } from '@pts/runtime/settings/config';
import { databaseCommand, withDatabaseAt } from '../../command-line/database-command.ts';
import { Problem, UsageError } from '../../command-line/problem.ts';
import { getAccount } from '../../records/accounts.ts';

export const accountsCopy = databaseCommand({
  name: 'accounts copy',
  audited: 'before',
  takes: ['id'],
  options: {},
  secrets: { target: 'TARGET_DATABASE_URL' },
  about:
    'Copy a disabled account to the installation whose database is in TARGET_DATABASE_URL, with the same ENCRYPTION_KEY. It stays disabled in both. Safe to repeat, also while services run.',
  async run({ db }, { id }, { env }) {
    const url = env.TARGET_DATABASE_URL?.trim();
    if (!url) throw new UsageError('TARGET_DATABASE_URL is missing: the database of the installation to copy to.');
    const account = await getAccount(db, id);
    if (account.testOf !== null)
      throw new Problem(`${id} is for test keys, and copied with its account: \`accounts copy ${account.testOf}\`.`);
    if (account.disabledAt === null)
      throw new Problem(`${account.name} (${id}) is active. Disable it first: \`accounts disable ${id}\`.`);
    const running = await countUnfinished(db, id);
    if (running > 0)
      throw new Problem(`${running} imports, bulk actions or replays of the account still run: wait for them.`);
    const keyring = createKeyring(loadConfig(env, ['encryptionKeys']).encryptionKeys);
    return withDatabaseAt('TARGET_DATABASE_URL', url, async (target) => {
      if (await isOneDatabase(db, target))
        throw new Problem('TARGET_DATABASE_URL leads to the database that the account is in: nothing was copied.');
      const there = await findAccount(target, id);
      if (there && there.disabledAt === null) throw new Problem(`The account is active in TARGET_DATABASE_URL, too.`);
      await requireSameKeys(keyring, db, target);
      const copied = await copyAccount({ from: db, to: target }, id);
      return { lines: describe(account.name, copied), json: { account: { id }, copied } };
    });
  },
});

/** Secrets are copied as they are, and the links to buyers' pages must stay. @throws Problem */
async function requireSameKeys(keyring: Keyring, from: Db, to: Db): Promise<void> {
  const tokens: (string | null)[] = [];
  for (const db of [from, to]) {
    if ((await keyFits(db, keyring)) === false)
      throw new Problem('ENCRYPTION_KEY must be the key of both installations.');
    tokens.push(await tokenKeysOf(db, keyring));
  }
  if (tokens[0] !== tokens[1])
    throw new Problem(
      "The two installations give out different links to buyers' pages: before an installation has its first account, copy the row of the table `installation` of the first one to it.",
    );
}

async function tokenKeysOf(db: Db, keyring: Keyring): Promise<string | null> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  if (!stored) return null;
  const keys = installationTokenKeys(keyring);
  keys.learn(stored);
  return packTokenKeys(keys);
}

function describe(name: string, copied: Copied): string[] {
  const lines = Object.entries(copied).map(([table, { read, stored }]) => {
    const rest = read === stored ? '' : `, of which ${read - stored} were there`;
    return `  ${table.replaceAll('_', ' ')}: ${read}${rest}`;
  });
  return [`${name} was copied, and is disabled in both installations:`, ...lines];
}
