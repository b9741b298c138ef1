import { column, columns, columnsOf, type Db, rows } from './connection.ts';
import { type IdempotencyKey, Prisma, type Webhook } from './generated/client.ts';
import { DEADLINES } from './pool.ts';

/** A row with encrypted values, by the names of their columns. */
type SecretRow = {
  key: Readonly<Record<string, string>>;
  values: Readonly<Record<string, string | readonly string[] | null>>;
};

/** A table with encrypted values: how a page of it is read, and how values that have not changed since are replaced. */
type SecretTable = {
  name: string;
  /** @param after the key of the last row before the page; null to begin. */
  read(db: Db, after: SecretRow['key'] | null): Promise<SecretRow[]>;
  /** Rows that were changed since they were read keep what they have now. @returns how many were replaced. */
  replace(db: Db, changes: readonly { from: SecretRow; to: SecretRow }[]): Promise<number>;
};

/** Rows that are read, and replaced, by one statement. The answers among them may have 170 KB each. */
const PAGE = 100;

const WEBHOOK = columns({
  id: column<Webhook['id']>('w.id'),
  secret: column<Webhook['encryptedSecret']>('w.secret_box'),
  retired: column<Webhook['retiredSecrets']>('w.retired_secret_boxes'),
  headers: column<Webhook['encryptedHeaders']>('w.headers_box'),
});
const ANSWER = columns({
  ...columnsOf<IdempotencyKey>('i')('accountId', 'key'),
  body: column<string>('i.sealed_body'),
});

const webhooks: SecretTable = {
  name: 'webhooks',
  async read(db, after) {
    const found = await rows(
      db.$within(DEADLINES.bulk),
      WEBHOOK,
      (list) =>
        Prisma.sql`SELECT ${list} FROM public.webhooks w WHERE w.id > ${after?.id ?? ''} ORDER BY w.id LIMIT ${PAGE}::int`,
    );
    return found.map(({ id, ...values }) => ({ key: { id }, values }));
  },
  replace: (db, changes) =>
    db.$within(DEADLINES.bulk).$executeRaw`
      UPDATE public.webhooks w SET secret_box = n.to_secret, retired_secret_boxes = n.to_retired, headers_box = n.to_headers
      FROM jsonb_to_recordset(${asJson(changes)}::jsonb) AS n (id text, from_secret text, from_retired text[], from_headers text,
        to_secret text, to_retired text[], to_headers text)
      WHERE w.id = n.id AND w.secret_box = n.from_secret AND w.retired_secret_boxes = n.from_retired
        AND w.headers_box IS NOT DISTINCT FROM n.from_headers`,
};

/** Answers that are kept for a day, for requests that are repeated. */
const idempotencyKeys: SecretTable = {
  name: 'idempotency_keys',
  async read(db, after) {
    const found = await rows(
      db.$within(DEADLINES.bulk),
      ANSWER,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.idempotency_keys i
        WHERE (i.account_id, i.key) > (${after?.accountId ?? ''}, ${after?.key ?? ''}) AND i.sealed_body IS NOT NULL
        ORDER BY i.account_id, i.key LIMIT ${PAGE}::int`,
    );
    return found.map(({ accountId, key, body }) => ({ key: { accountId, key }, values: { body } }));
  },
  replace: (db, changes) =>
    db.$within(DEADLINES.bulk).$executeRaw`
      UPDATE public.idempotency_keys i SET sealed_body = n.to_body
      FROM jsonb_to_recordset(${asJson(changes)}::jsonb) AS n ("accountId" text, key text, from_body text, to_body text)
      WHERE i.account_id = n."accountId" AND i.key = n.key AND i.sealed_body = n.from_body`,
};

/** Tables whose rows can be re-encrypted in any order. The installation's own record comes after them. */
const SECRET_TABLES: readonly SecretTable[] = [webhooks, idempotencyKeys];

function asJson(changes: readonly { from: SecretRow; to: SecretRow }[]): string {
  const prefixed = (prefix: string, { values }: SecretRow) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]));
  return JSON.stringify(
    changes.map(({ from, to }) => ({ ...from.key, ...prefixed('from', from), ...prefixed('to', to) })),
  );
}

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
  /** Lost values that are answers under an Idempotency-Key, which are gone after a day. */
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
 * Encrypts with the first key whatever another one of the keys encrypted, page by page beside the running service; it
 * can be repeated after a kill. The installation's record, which decides what keys processes start with, is not
 * touched.
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

/**
 * The row under the first key; the row itself if nothing changes. Values that are equal stay equal: a rotation compares
 * them.
 */
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
