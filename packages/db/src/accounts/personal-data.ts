import { forgetAuditNames } from '../audit.ts';
import { DUE_AT, SLOT_JOIN, WITH_SLOT } from '../checks/schedule.ts';
import { column, columns, type Db, type RowOf, rows, rowsByIndexOnce } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { nextRejects } from '../imports.ts';
import { DEADLINES } from '../pool.ts';
import { recount, type TransitOf } from '../stats.ts';

/** A table with rows of an account, and by which columns, together unique, an index has them in order. */
type Table = { name: string; key: readonly string[] };

/** Tables that belong to the account; the rest follows from them, by foreign keys and triggers. */
const TABLES: readonly Table[] = [
  { name: 'delivery_attempts', key: ['webhook_id', 'event', 'id'] },
  { name: 'messages', key: ['xact', 'position'] },
  { name: 'trackings', key: ['updated_at', 'id'] },
  { name: 'replays', key: ['id'] },
  { name: 'webhooks', key: ['url'] },
  { name: 'imports', key: ['created_at', 'id'] },
  { name: 'bulk_actions', key: ['created_at', 'id'] },
  { name: 'account_notices', key: ['id'] },
  { name: 'page_settings', key: ['account_id'] },
  { name: 'quota_usage', key: ['month'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'members', key: ['email'] },
];
/** Derived from the tables above, or kept for a day at most: deleted, but not exported. */
const DERIVED: readonly Table[] = [
  { name: 'stat_counts', key: ['series', 'at', 'figure', 'bucket'] },
  { name: 'stat_transits', key: ['grain', 'at', 'carrier', 'origin', 'destination', 'hours'] },
  { name: 'learned_prefixes', key: ['prefix', 'carrier'] },
  { name: 'tracking_search', key: ['tracking_id'] },
  { name: 'idempotency_keys', key: ['key'] },
  { name: 'stream_leases', key: ['id'] },
];
/** Secrets are no data about a person, and whoever reads an export must not get them. */
const SECRETS = ['key_hash', 'secret_box', 'retired_secret_boxes', 'headers_box'];
const PAGE = 1000;

const WITHOUT_SECRETS = `to_jsonb(t) - '{${SECRETS.join(',')}}'::text[]`;
const ROW = columns({ data: column<Record<string, unknown>>(WITHOUT_SECRETS) });
const COUNT = columns({ count: column<number>('count(*)::int') });

/** The account, and the one that its test keys belong to, which is deleted before it. */
async function accountsOf(db: Db, accountId: string): Promise<string[]> {
  const companions = await db.account.findMany({ where: { testOf: accountId }, select: { id: true } });
  return [...companions.map(({ id }) => id), accountId];
}

type Exported = AsyncGenerator<{ table: string; row: Record<string, unknown> }>;

/**
 * Everything that is stored of an account and of its test keys, row by row and in pages; not one moment of it, because
 * work goes on.
 */
export async function* exportAccount(db: Db, accountId: string): Exported {
  for (const id of await accountsOf(db, accountId)) yield* exportOne(db, id);
}

async function* exportOne(db: Db, accountId: string): Exported {
  const account = await rows(
    db,
    ROW,
    (list) => Prisma.sql`SELECT ${list} FROM public.accounts t WHERE id = ${accountId}`,
  );
  for (const { data } of account) yield { table: 'accounts', row: data };
  for (const table of TABLES)
    for await (const page of pagesOf(db, table, accountId))
      for (const row of page) {
        yield { table: table.name, row };
        if (table.name === 'imports') {
          yield* exportRejects(db, accountId, String(row.id));
          yield* exportFile(db, accountId, String(row.id));
        }
      }
}

/** The rejected rows of an import, as text: bytes would be unreadable. */
async function* exportRejects(db: Db, accountId: string, id: string): Exported {
  const key = { accountId, id };
  for (let page = await nextRejects(db, key, 0); page; page = await nextRejects(db, key, page.firstRow))
    yield { table: 'import_rejects', row: { import_id: id, first_row: page.firstRow, csv: page.csv.toString() } };
}

/** The file of an import, part by part, as far as it is still stored. */
async function* exportFile(db: Db, accountId: string, importId: string): Exported {
  const read = (seq: number) => db.importChunk.findFirst({ where: { importId, accountId, seq } });
  for (let part = await read(0); part; part = await read(part.seq + 1)) {
    const base64 = Buffer.from(part.bytes).toString('base64');
    yield { table: 'import_chunks', row: { import_id: importId, seq: part.seq, base64 } };
  }
}

/**
 * The rows of an account in a table, page by page, in the order of the table's key.
 * @param asJson of a row `t`: by default without secrets.
 */
export async function* pagesOf(
  db: Db,
  table: Table,
  accountId: string,
  asJson = WITHOUT_SECRETS,
): AsyncGenerator<Record<string, unknown>[]> {
  for (let after: Record<string, unknown> | undefined, isLast = false; !isLast; ) {
    const page = (await pageOf(db, table, { accountId, after, asJson })).map(({ data }) => data);
    yield page;
    after = page.at(-1);
    isLast = page.length < PAGE;
  }
}

type After = { accountId: string; after: Record<string, unknown> | undefined; asJson: string };

function pageOf(db: Db, table: Table, { accountId, after, asJson }: After) {
  return rowsByIndexOnce(
    db.$within(DEADLINES.bulk),
    columns({ data: column<Record<string, unknown>>(asJson) }),
    (list) => Prisma.sql`SELECT ${list} ${page(table, accountId, after)}`,
  );
}

/** The rows `t` of a page: those after a key, in its order. */
function page(
  { name, key }: Table,
  accountId: string,
  after: Record<string, unknown> | undefined,
  size = PAGE,
): Prisma.Sql {
  const table = Prisma.raw(`public.${name}`);
  const order = Prisma.raw(key.map((each) => `t.${each}`).join(', '));
  // The server reads the key of the last row with the types of the table.
  const last = Prisma.raw(key.map((each) => `r.${each}`).join(', '));
  const beyond =
    after === undefined
      ? Prisma.empty
      : Prisma.sql`AND ROW(${order}) > (SELECT ${last} FROM jsonb_populate_record(NULL::${table}, ${JSON.stringify(after)}::jsonb) r)`;
  return Prisma.sql`FROM ${table} t WHERE t.account_id = ${accountId} ${beyond} ORDER BY ${order} LIMIT ${Prisma.raw(String(size))}`;
}

/** How many rows an account and its test keys have, by table; tables without one are left out. */
export async function countAccountRows(db: Db, accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const accounts = await accountsOf(db, accountId);
  for (const { name } of TABLES) {
    const table = Prisma.raw(`public.${name}`);
    const [found] = await rows(
      db.$within(DEADLINES.bulk),
      COUNT,
      (list) => Prisma.sql`SELECT ${list} FROM ${table} t WHERE t.account_id = ANY(${accounts})`,
    );
    if (found?.count) counts[name] = found.count;
  }
  return counts;
}

/**
 * Deletes an account that is disabled, with everything that is stored of it and of its test keys, in small
 * transactions: it may run beside the service, and be repeated. Passes go on until one finds nothing, because work that
 * was under way may still store a row.
 * @param options.onPage called after each transaction with how many rows have been deleted so far, by table.
 * @param options.isOver whether to stop after a page; another call goes on.
 * @returns how many rows were deleted, by table; those that follow from others are not counted.
 */
export async function eraseAccount(
  db: Db,
  accountId: string,
  { onPage = () => {}, isOver = () => false, pageSize = PAGE }: Partial<ErasureOptions> = {},
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  const count = (name: string, rows: number) => {
    deleted[name] = (deleted[name] ?? 0) + rows;
    onPage(deleted);
    return !isOver();
  };
  for (const id of await accountsOf(db, accountId)) if (!(await eraseOne(db, id, pageSize, count))) break;
  return deleted;
}

type ErasureOptions = {
  onPage(deleted: Readonly<Record<string, number>>): void;
  isOver(): boolean;
  pageSize: number;
};

/** @returns whether it has come to its end. */
async function eraseOne(
  db: Db,
  accountId: string,
  pageSize: number,
  goesOn: (table: string, rows: number) => boolean,
): Promise<boolean> {
  for (let isClean = false; !isClean; ) {
    isClean = true;
    for (const table of [...TABLES, ...DERIVED])
      for await (const rows of erasedFrom(db, table, accountId, pageSize)) {
        isClean = false;
        if (!goesOn(table.name, rows)) return false;
      }
  }
  await forgetAuditNames(db.$within(DEADLINES.bulk), accountId);
  await db.account.deleteMany({ where: { id: accountId } });
  return true;
}

/**
 * Leaves a disabled account to be deleted in the background from a time on; it cannot be enabled any more.
 * @returns whether there is such an account, and it is disabled.
 */
export async function scheduleErasure(db: Db, id: string, at: Date): Promise<boolean> {
  const { count } = await db.account.updateMany({ where: { id, NOT: { disabledAt: null } }, data: { eraseAt: at } });
  return count > 0;
}

const CLAIMED = columns({ id: column<string>('a.id') });

/** Claims an account whose deletion is due for a time; that of a killed process is due again then. */
export async function claimErasure(db: Db, { now, until }: { now: Date; until: Date }): Promise<string | null> {
  const [claimed] = await rows(
    db,
    CLAIMED,
    (list) => Prisma.sql`
      UPDATE public.accounts a SET erase_at = ${until.toISOString()}::timestamptz
      WHERE id = (SELECT id FROM public.accounts WHERE erase_at <= ${now.toISOString()}::timestamptz
        ORDER BY erase_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING ${list}`,
  );
  return claimed?.id ?? null;
}

/**
 * Deletes the rows of a table, page by page. Each page begins after the key of the last: deleted rows are not read
 * again.
 */
async function* erasedFrom(db: Db, table: Table, accountId: string, size: number): AsyncGenerator<number> {
  for (let after: Erased['last'] = null, isLast = false; !isLast; ) {
    const wanted = page(table, accountId, after ?? undefined, size);
    const { found, last, deleted } = await erasePage(db.$within(DEADLINES.bulk), table, accountId, wanted);
    if (deleted > 0) yield deleted;
    after = last;
    isLast = found < size;
  }
}

const ERASED = columns({
  found: column<number>('(SELECT count(*)::int FROM page)'),
  /** The key of the last row found. */
  last: column<Record<string, unknown> | null>('(SELECT key FROM page ORDER BY n DESC LIMIT 1)'),
  deleted: column<number>('(SELECT count(*)::int FROM erased)'),
});
type Erased = RowOf<typeof ERASED>;

async function erasePage(db: Db, table: Table, accountId: string, wanted: Prisma.Sql): Promise<Erased> {
  const key = Prisma.raw(table.key.map((each) => `'${each}', t.${each}`).join(', '));
  const name = Prisma.raw(`public.${table.name}`);
  // In a partitioned table, rows of several partitions may have one ctid; all of them are the account's.
  const [erased] = await rowsByIndexOnce(
    db,
    ERASED,
    (list) => Prisma.sql`
    WITH page AS MATERIALIZED (
      SELECT p.*, row_number() OVER () AS n FROM (
        SELECT t.ctid AS place, jsonb_build_object(${key}) AS key ${wanted}) p
    ), erased AS (
      DELETE FROM ${name} t WHERE t.account_id = ${accountId} AND t.ctid = ANY (ARRAY(SELECT place FROM page))
      RETURNING ${table.name === 'trackings' ? Prisma.sql`t.id, t.tracking_number` : Prisma.sql`1`}
    ) ${table.name === 'trackings' ? traces(accountId) : Prisma.empty}
    SELECT ${list}`,
  );
  if (!erased) throw new Error('a query without a table has answered no row');
  return erased;
}

/**
 * Numbers are also kept where no account is named: as subscriptions to the callbacks of providers, which all accounts
 * share, and as the parcels of an outage. Those that no other account has go with the parcels.
 */
function traces(accountId: string): Prisma.Sql {
  return Prisma.sql`, subscribed AS (
      DELETE FROM public.subscriptions s USING erased t WHERE s.tracking_number = t.tracking_number AND NOT EXISTS (
        SELECT 1 FROM public.trackings o WHERE o.tracking_number = s.tracking_number AND o.account_id <> ${accountId})
    ), failed AS (
      UPDATE public.provider_pauses SET parcels = ARRAY(
        SELECT unnest(parcels) EXCEPT (SELECT id FROM erased UNION ALL SELECT tracking_number FROM erased))
      WHERE EXISTS (SELECT 1 FROM erased WHERE id = ANY (parcels) OR tracking_number = ANY (parcels))
    )`;
}

type Row = Record<string, unknown>;
type Cells = { from: Db; to: Db };
/** How many rows were read, and how many of them the other database did not have. */
export type Copied = Record<string, { read: number; stored: number }>;

/** Small tables, as they are. */
const PLAIN: readonly Table[] = [
  // Before their sessions, which are keys.
  { name: 'members', key: ['email'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'quota_usage', key: ['month'] },
  { name: 'page_settings', key: ['account_id'] },
  { name: 'webhooks', key: ['url'] },
  // A POST that was cut off by the move is repeated in the other cell.
  { name: 'idempotency_keys', key: ['key'] },
];
const TRACKINGS: Table = { name: 'trackings', key: ['updated_at', 'id'] };
const SEARCHES: Table = { name: 'tracking_search', key: ['tracking_id'] };
const MESSAGES: Table = { name: 'messages', key: ['xact', 'position'] };
const ATTEMPTS: Table = { name: 'delivery_attempts', key: ['webhook_id', 'event', 'id'] };

const AS_IT_IS = 'to_jsonb(t)';
const DATA = columns({ data: column<Row>(AS_IT_IS) });
/**
 * A slot is a row of its database: elsewhere, a check begins with the time of its next tick. A pushed one needs a
 * subscription first.
 */
const CHECK = columns({
  data: column<Row>(`to_jsonb(c) || jsonb_build_object('ring', NULL, 'slot', NULL, 'pushed', NULL, 'next_check_at',
    CASE WHEN c.pushed IS NOT TRUE AND ${DUE_AT} < ${WITH_SLOT.sql} THEN ${DUE_AT} ELSE now() + random() * interval '5 minutes' END)`),
});
const STORED = columns({ count: column<number>('count(*)::int') });

/** How many imports, bulk actions and replays of an account and its test keys have not ended. */
export async function countUnfinished(db: Db, accountId: string): Promise<number> {
  const accounts = await accountsOf(db, accountId);
  const [row] = await rows(
    db,
    STORED,
    (list) => Prisma.sql`SELECT ${list} FROM (
      SELECT 1 FROM public.imports WHERE account_id = ANY(${accounts}) AND finished_at IS NULL
      UNION ALL SELECT 1 FROM public.bulk_actions WHERE account_id = ANY(${accounts}) AND finished_at IS NULL
      UNION ALL SELECT 1 FROM public.replays WHERE account_id = ANY(${accounts}) AND finished_at IS NULL) w`,
  );
  return row?.count ?? 0;
}

/**
 * Copies a disabled account and its test account to the database of another installation, disabled there, too. It may
 * be repeated, and pollers and dispatchers may run: what they do to the account after its rows were read is done again
 * there, and has the same ids. Not copied: finished imports, bulk actions and replays, and figures, which are counted
 * again.
 */
export async function copyAccount(cells: Cells, accountId: string, transitOf: TransitOf): Promise<Copied> {
  const copied: Copied = {};
  for (const id of (await accountsOf(cells.from, accountId)).reverse()) {
    await copyOne(cells, id, copied);
    await recount(cells.to, id, transitOf);
  }
  return copied;
}

async function copyOne(cells: Cells, accountId: string, copied: Copied): Promise<void> {
  const store = async (name: string, page: readonly Row[], insert = insertAll) => {
    const counts = copied[name] ?? { read: 0, stored: 0 };
    copied[name] = counts;
    counts.read += page.length;
    if (page.length > 0) counts.stored += await insert(cells.to.$within(DEADLINES.bulk), name, page);
  };
  const accounts = await rows(
    cells.from,
    DATA,
    (list) => Prisma.sql`SELECT ${list} FROM public.accounts t WHERE id = ${accountId}`,
  );
  await store(
    'accounts',
    accounts.map(({ data }) => ({ ...data, pruned_xact: null, pruned_position: null })),
  );
  for (const table of PLAIN)
    for await (const page of pagesOf(cells.from, table, accountId, AS_IT_IS)) await store(table.name, page);
  // Parcels before their events: what a check changes meanwhile is found again there, and its event has the same id.
  for await (const page of pagesOf(cells.from, TRACKINGS, accountId, AS_IT_IS)) {
    await store('trackings', page);
    await store('checks', await checksOf(cells.from, accountId, idsOf(page)));
  }
  for await (const page of pagesOf(cells.from, SEARCHES, accountId, AS_IT_IS))
    if (page.length > 0) await insertAll(cells.to.$within(DEADLINES.bulk), 'tracking_search', page);
  for await (const page of pagesOf(cells.from, MESSAGES, accountId, AS_IT_IS)) {
    await store('messages', page.map(beforeAllTransactions));
    await store('deliveries', await deliveriesOf(cells.from, accountId, idsOf(page)));
  }
  for await (const page of pagesOf(cells.from, ATTEMPTS, accountId, AS_IT_IS))
    await store('delivery_attempts', page, insertAttempts);
}

const idsOf = (page: readonly Row[]) => page.map(({ id }) => String(id));

/**
 * Transactions have other numbers in each database. Positions are given again, in the order of the pages (decision
 * 0007).
 */
function beforeAllTransactions({ position: _position, timeline: _timeline, ...row }: Row): Row {
  return { ...row, xact: 0 };
}

async function checksOf(db: Db, accountId: string, trackingIds: readonly string[]): Promise<Row[]> {
  const found = await rows(
    db,
    CHECK,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.checks c ${SLOT_JOIN}
      WHERE c.tracking_id = ANY(${trackingIds}) AND c.account_id = ${accountId}`,
  );
  return found.map(({ data }) => data);
}

/** Without their ids, which another delivery may have there. The bounds leave out partitions, which a list does not. */
export async function deliveriesOf(db: Db, accountId: string, messageIds: readonly string[]): Promise<Row[]> {
  const ids = messageIds.toSorted();
  const found = await rows(
    db,
    DATA,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.deliveries t
      WHERE message_id = ANY(${ids}) AND message_id >= ${ids[0]} AND message_id <= ${ids.at(-1)}
        AND account_id = ${accountId} ORDER BY id`,
  );
  return found.map(({ data: { id: _id, ...row } }) => row);
}

/** @returns how many rows were not there yet. */
function insertAll(db: Db, name: string, page: readonly Row[]): Promise<number> {
  return insertFrom(db, name, page, (names) => names);
}

const ATTEMPT_DELIVERY = `(SELECT d.id FROM public.deliveries d
  WHERE d.message_id = r.message_id AND d.webhook_id = r.webhook_id AND d.account_id = r.account_id)`;

function insertAttempts(db: Db, name: string, page: readonly Row[]): Promise<number> {
  return insertFrom(db, name, page, (names) =>
    names.map((each) => (each === '"delivery_id"' ? ATTEMPT_DELIVERY : each)),
  );
}

const OF_PARCEL = Prisma.sql`public.trackings o WHERE o.id = r.tracking_id AND o.account_id = r.account_id`;

/**
 * Rows without a foreign key lock what they belong to, and are left out if it is not there: who deletes it finds them.
 */
const OWNERS: Record<string, Prisma.Sql> = {
  trackings: Prisma.sql`public.accounts o WHERE o.id = r.account_id`,
  checks: OF_PARCEL,
  tracking_search: OF_PARCEL,
};

async function insertFrom(
  db: Db,
  name: string,
  page: readonly Row[],
  valuesOf: (names: readonly string[]) => readonly string[],
): Promise<number> {
  const names = Object.keys(page[0] ?? {}).map((each) => `"${each}"`);
  const table = Prisma.raw(`public.${name}`);
  const values = Prisma.raw(valuesOf(names).join(', '));
  const owner = OWNERS[name];
  const owned = owner ? Prisma.sql`WHERE EXISTS (SELECT FROM ${owner} FOR KEY SHARE)` : Prisma.empty;
  return db.$executeRaw`
    INSERT INTO ${table} (${Prisma.raw(names.join(', '))})
    SELECT ${values} FROM jsonb_populate_recordset(NULL::${table}, ${JSON.stringify(page)}::jsonb) r ${owned}
    ON CONFLICT DO NOTHING`;
}
