import { CommandError, chosen, listOf } from '@pts/client/cli/kit';
import { SCOPES } from '@pts/core/account';
import { columns } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { accountOfKey, type ListedKey, listKeys } from '@pts/db/accounts/accounts';
import { countByKey, type KeyUse, reEncryptInstallation, reEncryptRows } from '@pts/db/encryption';
import { keyFits } from '@pts/db/readiness';
import { createKeyring, type Keyring } from '@pts/runtime/encryption/keyring';
import { packTokenKeys, tokenKeysFrom } from '@pts/runtime/encryption/tokens';
import { loadConfig } from '@pts/runtime/settings/config';
import { addKey, getAccount, type NewKey, resetKeys, withdrawKey } from '@pts/service/accounts';
import type { Command } from '../command.ts';
import { type DatabaseDeps, databaseCommand } from '../installation.ts';

const keysCreate = databaseCommand({
  name: 'keys create',
  audited: 'after',
  takes: ['accountId'],
  options: {
    name: { value: 'NAME', about: 'name of the key' },
    scopes: { value: 'LIST', about: `the scopes of the key, from ${SCOPES.join(',')} (default: all)` },
    expires: { value: 'TIME', about: 'when the key expires, such as 2027-01-31T00:00:00Z (default: never)' },
    networks: { value: 'LIST', about: 'addresses and CIDR ranges that the key can be used from (default: any)' },
  },
  about: 'Add an API key to an account. The key is shown only once.',
  async run(deps, { accountId, name, scopes, expires, networks }) {
    const account = await getAccount(deps.db, accountId);
    const wanted = {
      name,
      scopes: listOf(scopes)?.map((scope) => chosen('--scopes', scope, SCOPES)) ?? SCOPES,
      expires_at: expires,
      networks: listOf(networks) ?? [],
    };
    const key = await addKey(deps, account, wanted);
    return {
      lines: [`${account.name} (${accountId}) has a new key.`, '', ...columns(newKeyRows(key)), '', SHOWN_ONCE],
      json: { account_id: accountId, key: viewNewKey(key) },
    };
  },
});

const keysList = databaseCommand({
  name: 'keys list',
  takes: ['accountId'],
  options: { revoked: { about: 'include revoked keys' } },
  about: 'List the API keys and test keys of an account, with their scopes, networks, expiry and last use.',
  async run({ db }, { accountId, revoked: withRevoked }) {
    await getAccount(db, accountId);
    const keys = await listKeys(db, accountId, { withRevoked });
    return {
      lines: keys.length === 0 ? ['The account has no keys.'] : columns(keyTable(keys)),
      json: { account_id: accountId, keys: keys.map((key) => ({ ...viewKey(key), test: key.isTest })) },
    };
  },
});

const keysReset = databaseCommand({
  name: 'keys reset',
  audited: 'after',
  takes: ['accountId'],
  options: {},
  about: 'Revoke all keys of an account within a second and create a new one. The key is shown only once.',
  async run(deps, { accountId }) {
    const account = await getAccount(deps.db, accountId);
    const key = await resetKeys(deps, account);
    return {
      lines: [
        `${account.name} (${accountId}) has a new key. All others are revoked.`,
        '',
        ...columns(newKeyRows(key)),
        '',
        SHOWN_ONCE,
      ],
      json: { account_id: accountId, key: viewNewKey(key) },
    };
  },
});

const keysRevoke = databaseCommand({
  name: 'keys revoke',
  audited: 'after',
  takes: ['keyId'],
  options: {},
  about: 'Revoke one API key within a second. `keys list` shows the ids.',
  async run(deps, { keyId }) {
    const at = await withdrawKey(deps, { id: keyId });
    const accountId = await accountOfKey(deps.db, keyId);
    return {
      lines: [`The key ${keyId} is revoked.`],
      json: { key: { id: keyId, revoked_at: toUtcSeconds(at) } },
      ...(accountId !== null && { accountIds: [accountId] }),
    };
  },
});

/**
 * A row that changes during one pass is replaced by the next. After these, a process still encrypts with another key.
 */
const MAX_PASSES = 3;
/** Rows between two lines of progress. */
const ROWS_PER_LINE = 10_000;

const keysReEncrypt = databaseCommand({
  name: 'keys re-encrypt',
  audited: 'before',
  takes: [],
  options: { 'dry-run': { about: 'count the encrypted values by key only' } },
  about:
    'Encrypt all stored secrets with the first key in the list ENCRYPTION_KEY. Safe to repeat, even while services run.',
  async run({ db }, { 'dry-run': isDryRun }, { env, out }) {
    const keyring = createKeyring(loadConfig(env, ['encryptionKeys']).encryptionKeys);
    if ((await keyFits(db, keyring)) === false)
      throw new CommandError(
        'ENCRYPTION_KEY lacks the key that encrypted the secrets in this database. Add it to the list.',
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
  const counts = ids.map((id, at) => `  ${id} (${at === 0 ? 'current' : 'older'}): ${use.byKey[id] ?? 0}`);
  const lost = use.lost === 0 ? [] : [`  unknown: ${use.lost} (for what to do, run \`doctor\`)`];
  const head = isDryRun ? [] : [`Rows encrypted with ${first}: ${moved}.`];
  return [...head, 'Encrypted values by key:', ...counts, ...lost, ...verdict({ older, left, isDryRun })];
}

function verdict({ older, left, isDryRun }: { older: string[]; left: number; isDryRun: boolean }): string[] {
  if (left === 0)
    return older.length === 0 ? [] : [`Nothing needs ${older.join(', ')} any more. Remove it from ENCRYPTION_KEY.`];
  if (isDryRun) return [`Values to encrypt with the first key: ${left}.`];
  return [
    `Values left: ${left}. A process still encrypts with an older key. Restart it with the new list, then run this command again.`,
  ];
}

/** A key of an account as JSON. */
export function viewKey(key: ListedKey) {
  const { lastUsedAt, revokedAt } = key;
  return {
    ...viewGrant(key),
    last_used_at: lastUsedAt && toUtcSeconds(lastUsedAt),
    revoked_at: revokedAt && toUtcSeconds(revokedAt),
  };
}

function viewGrant({
  id,
  hint,
  name,
  scopes,
  expiresAt,
  networks,
  createdAt,
}: Omit<ListedKey, 'lastUsedAt' | 'revokedAt' | 'isTest' | 'memberId'>) {
  return {
    id,
    hint,
    name,
    scopes,
    expires_at: expiresAt && toUtcSeconds(expiresAt),
    networks,
    created_at: toUtcSeconds(createdAt),
  };
}

/** The keys of an account as a table. */
export function keyTable(keys: readonly ListedKey[]): string[][] {
  const heading = ['KEY', 'HINT', 'NAME', 'SCOPES', 'NETWORKS', 'EXPIRES', 'CREATED', 'LAST USED', 'REVOKED'];
  const rows = keys
    .map(viewKey)
    .map((key) => [
      key.id,
      key.hint,
      key.name ?? '-',
      key.scopes.join(','),
      key.networks.join(',') || 'any',
      key.expires_at ?? 'never',
      key.created_at,
      key.last_used_at ?? '-',
      key.revoked_at ?? '-',
    ]);
  return [heading, ...rows];
}

/** A new key as JSON, which is shown only here. */
export function viewNewKey({ apiKey, ...key }: NewKey) {
  const { id, ...grant } = viewGrant(key);
  return { id, api_key: apiKey, ...grant };
}

export function newKeyRows({ id, apiKey, scopes, networks, expiresAt }: NewKey): [string, string][] {
  return [
    ['Key', id],
    ['API key', apiKey],
    ['Scopes', scopes.join(', ')],
    ...(networks.length > 0 ? [['Networks', networks.join(', ')] satisfies [string, string]] : []),
    ...(expiresAt ? [['Expires', toUtcSeconds(expiresAt)] satisfies [string, string]] : []),
  ];
}

export const SHOWN_ONCE = 'The API key is shown only once. Store it now.';

/** In the order of the help text. */
export const keys: readonly Command[] = [keysCreate, keysList, keysReset, keysRevoke, keysReEncrypt];
