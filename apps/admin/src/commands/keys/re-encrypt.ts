import { countByKey, type KeyUse, reEncryptInstallation, reEncryptRows } from '@pts/db/encryption';
import { keyFits } from '@pts/db/migrate/installation';
import { createKeyring, type Keyring } from '@pts/runtime/encryption/keyring';
import { packTokenKeys, tokenKeysFrom } from '@pts/runtime/encryption/token-keys';
import { loadConfig } from '@pts/runtime/settings/config';
import { type DatabaseDeps, databaseCommand } from '../../command-line/database-command.ts';
import { Problem } from '../../command-line/problem.ts';

/** A row that changes during one pass is replaced by the next. After these, a process still encrypts with another key. */
const MAX_PASSES = 3;
/** Rows between two lines of progress. */
const ROWS_PER_LINE = 10_000;

export const keysReEncrypt = databaseCommand({
  name: 'keys re-encrypt',
  audited: 'before',
  takes: [],
  options: { 'dry-run': { about: 'Only count the encrypted values, by key.' } },
  about:
    'Encrypt all stored secrets with the first key in ENCRYPTION_KEY, which lists it before the older ones. Safe to repeat, also while services run.',
  async run({ db }, { 'dry-run': isDryRun }, { env, out }) {
    const keyring = createKeyring(loadConfig(env, ['encryptionKeys']).encryptionKeys);
    if ((await keyFits(db, keyring)) === false)
      throw new Problem(
        'ENCRYPTION_KEY lacks the key that encrypted the secrets in this database: add it to the list.',
      );
    const moved = isDryRun ? 0 : await moveAll(db, keyring, out);
    // The record goes last: without the older keys, processes start only when nothing needs them.
    if (!isDryRun && needOlder(keyring, await countByKey(db, keyring, 'rows')) === 0)
      await reEncryptInstallation(db, keyring, (keyCheck) =>
        keyring.derive(keyCheck, (key) => packTokenKeys(tokenKeysFrom(key))),
      );
    const use = await countByKey(db, keyring);
    const left = needOlder(keyring, use);
    return {
      lines: describe(keyring, { moved, use, left, isDryRun }),
      json: { moved, left, values_by_key: use.byKey, undecryptable: use.lost, dry_run: isDryRun },
      failed: !isDryRun && left > 0,
    };
  },
});

async function moveAll(db: DatabaseDeps['db'], keyring: Keyring, out: (line: string) => void): Promise<number> {
  let moved = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    let reported = 0;
    const inPass = await reEncryptRows(db, keyring, (soFar) => {
      if (soFar - reported < ROWS_PER_LINE) return;
      reported = soFar;
      out(`Rows encrypted with ${keyring.ids[0]} so far: ${moved + soFar}.`);
    });
    moved += inPass;
    if (inPass === 0) break;
  }
  return moved;
}

/** How many values need another key than the first. */
function needOlder({ ids: [first] }: Keyring, { byKey }: KeyUse): number {
  return Object.entries(byKey).reduce((sum, [id, count]) => (id === first ? sum : sum + count), 0);
}

type Result = { moved: number; use: KeyUse; left: number; isDryRun: boolean };

function describe({ ids }: Keyring, { moved, use, left, isDryRun }: Result): string[] {
  const [first, ...older] = ids;
  const counts = ids.map((id, at) => `  ${id} (${at === 0 ? 'encrypts' : 'older'}): ${use.byKey[id] ?? 0}`);
  const lost = use.lost === 0 ? [] : [`  none of these: ${use.lost}; \`doctor\` says what to do`];
  const head = isDryRun ? [] : [`Rows encrypted with ${first}: ${moved}.`];
  return [...head, 'Encrypted values by key:', ...counts, ...lost, ...verdict({ older, left, isDryRun })];
}

function verdict({ older, left, isDryRun }: { older: string[]; left: number; isDryRun: boolean }): string[] {
  if (left === 0) return older.length === 0 ? [] : [`Nothing needs ${older.join(', ')} any more: remove it.`];
  if (isDryRun) return [`To be encrypted with the first key: ${left}.`];
  return [
    `Left: ${left}. A process still encrypts with an older key: restart it with the new list, and run this command again.`,
  ];
}
