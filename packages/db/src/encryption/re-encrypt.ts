import type { Db } from '../connection.ts';
import { idempotencyKeys, SECRET_TABLES, type SecretRow, type SecretTable } from './secrets.ts';

/** The keys of the operator: the first one encrypts. */
type Keys = {
  readonly ids: readonly string[];
  encrypt(text: string): string;
  decrypt(encrypted: string): string;
  /** The key that decrypts a value; null if none does. */
  idOf(encrypted: string): string | null;
};

/** How many encrypted values each key decrypts. */
export type KeyUse = {
  /** By the id of the key, in the order of the keys. */
  byKey: Record<string, number>;
  /** Values that no key decrypts. */
  lost: number;
  /** Those of them that are answers under an Idempotency-Key, which are gone after a day. */
  lostAnswers: number;
};

/**
 * Counts what each key is needed for. It reads, and decrypts, every value.
 * @param scope whether the installation's own record counts, too.
 */
export async function countByKey(db: Db, keys: Keys, scope: 'rows' | 'all' = 'all'): Promise<KeyUse> {
  const use: KeyUse = { byKey: Object.fromEntries(keys.ids.map((id) => [id, 0])), lost: 0, lostAnswers: 0 };
  const count = (encrypted: string) => {
    const id = keys.idOf(encrypted);
    if (id === null) use.lost += 1;
    else use.byKey[id] = (use.byKey[id] ?? 0) + 1;
  };
  for (const table of SECRET_TABLES) {
    const before = use.lost;
    for await (const page of pagesOf(db, table)) for (const value of page.flatMap(valuesOf)) count(value);
    if (table === idempotencyKeys) use.lostAnswers = use.lost - before;
  }
  if (scope === 'rows') return use;
  const installation = await db.installation.findUnique({ where: { id: 1 } });
  for (const value of [installation?.keyCheck, installation?.tokenKeys]) if (value) count(value);
  return use;
}

/**
 * Encrypts with the first key whatever another one of the keys encrypted, page by page beside the running service; it can be
 * repeated after a kill. The installation's record, which decides what keys processes start with, is not touched.
 * @param onPage called with the number of rows that have been replaced so far.
 * @returns how many rows were replaced.
 */
export async function reEncryptRows(db: Db, keys: Keys, onPage: (moved: number) => void = () => {}): Promise<number> {
  let moved = 0;
  for (const table of SECRET_TABLES) {
    for await (const page of pagesOf(db, table)) {
      const changes = page.flatMap((from) => {
        const to = renewed(from, keys);
        return to === from ? [] : [{ from, to }];
      });
      if (changes.length === 0) continue;
      moved += await table.replace(db, changes);
      onPage(moved);
    }
  }
  return moved;
}

/**
 * Encrypts the installation's record with the first key: from then on, processes start only with a list that has it.
 * @param tokenKeysOf the keys of tokens, from the check value; they are stored, because the key they derive from goes.
 * @returns whether it had another key.
 */
export async function reEncryptInstallation(
  db: Db,
  keys: Keys,
  tokenKeysOf: (keyCheck: string) => string,
): Promise<boolean> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  if (!stored) return false;
  const { keyCheck, tokenKeys } = stored;
  const [first] = keys.ids;
  if ([keyCheck, tokenKeys ?? keyCheck].every((value) => keys.idOf(value) === first)) return false;
  const { count } = await db.installation.updateMany({
    where: { id: 1, keyCheck, tokenKeys },
    data: {
      keyCheck: keys.encrypt(keys.decrypt(keyCheck)),
      tokenKeys: keys.encrypt(tokenKeys === null ? tokenKeysOf(keyCheck) : keys.decrypt(tokenKeys)),
    },
  });
  return count === 1;
}

async function* pagesOf(db: Db, table: SecretTable): AsyncGenerator<SecretRow[]> {
  for (let after: SecretRow['key'] | null = null; ; ) {
    const page: SecretRow[] = await table.read(db, after);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.key;
  }
}

function valuesOf({ values }: SecretRow): string[] {
  return Object.values(values).flatMap((value) => value ?? []);
}

/** The row under the first key; the row itself if nothing changes. Values that are equal stay equal: a rotation compares them. */
function renewed(row: SecretRow, keys: Keys): SecretRow {
  const [first] = keys.ids;
  const renewals = new Map<string, string>();
  for (const value of valuesOf(row)) {
    const id = keys.idOf(value);
    if (id !== null && id !== first) renewals.set(value, keys.encrypt(keys.decrypt(value)));
  }
  if (renewals.size === 0) return row;
  const renew = (value: string) => renewals.get(value) ?? value;
  const values = Object.entries(row.values).map(([name, value]) => [
    name,
    value === null ? null : typeof value === 'string' ? renew(value) : value.map(renew),
  ]);
  return { key: row.key, values: Object.fromEntries(values) };
}
