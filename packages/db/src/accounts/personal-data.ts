import type { Db } from '../connection/client.ts';
import { DEADLINES, withDeadline } from '../connection/deadline.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';
import { nextRejects } from '../imports/rejects.ts';

/** A table with rows of an account, and by which columns, together unique, an index has them in order. */
export type Table = { name: string; key: readonly string[] };

/** What belongs to the account; the rest follows from it, by foreign keys and triggers. */
const TABLES: readonly Table[] = [
  { name: 'delivery_attempts', key: ['webhook_id', 'event', 'id'] },
  { name: 'messages', key: ['xact', 'position'] },
  { name: 'trackings', key: ['updated_at', 'id'] },
  { name: 'replays', key: ['id'] },
  { name: 'webhooks', key: ['url'] },
  { name: 'imports', key: ['created_at', 'id'] },
  { name: 'bulk_actions', key: ['created_at', 'id'] },
  { name: 'page_settings', key: ['account_id'] },
  { name: 'quota_usage', key: ['month'] },
  { name: 'api_keys', key: ['id'] },
];
/** Derived from the tables above, or kept for a day at most: deleted, but not exported. */
const DERIVED: readonly string[] = [
  ...['stat_deltas', 'stat_counts', 'stat_parcels', 'stat_transits', 'stat_endpoints'],
  ...['tracking_search', 'idempotency_keys', 'stream_leases'],
];
/** Secrets are no data about a person, and whoever reads an export must not get them. */
const SECRETS = ['key_hash', 'secret_box', 'previous_secret_box', 'retired_secret_boxes'];
const PAGE = 1000;

const WITHOUT_SECRETS = `to_jsonb(t) - '{${SECRETS.join(',')}}'::text[]`;
const ROW = columns({ data: column<Record<string, unknown>>(WITHOUT_SECRETS) });
const COUNT = columns({ count: column<number>('count(*)::int') });

/** The account, and the one that its test keys belong to, which is deleted before it. */
export async function accountsOf(db: Db, accountId: string): Promise<string[]> {
  const companions = await db.account.findMany({ where: { testOf: accountId }, select: { id: true } });
  return [...companions.map(({ id }) => id), accountId];
}

type Exported = AsyncGenerator<{ table: string; row: Record<string, unknown> }>;

/**
 * Everything that is stored of an account and of its test keys, row by row and in pages; not one moment of it, because work goes
 * on.
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

/** The rows of an account in a table, page by page, in the order of the table's key. @param asJson of a row `t`: by default without secrets. */
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

function pageOf(db: Db, { name, key }: Table, { accountId, after, asJson }: After) {
  const table = Prisma.raw(`public.${name}`);
  const order = Prisma.raw(key.map((each) => `t.${each}`).join(', '));
  // The server reads the key of the last row with the types of the table.
  const last = Prisma.raw(key.map((each) => `r.${each}`).join(', '));
  const beyond =
    after === undefined
      ? Prisma.empty
      : Prisma.sql`AND ROW(${order}) > (SELECT ${last} FROM jsonb_populate_record(NULL::${table}, ${JSON.stringify(after)}::jsonb) r)`;
  return withDeadline(DEADLINES.bulk, () =>
    rows(
      db,
      columns({ data: column<Record<string, unknown>>(asJson) }),
      (list) => Prisma.sql`
      SELECT ${list} FROM ${table} t WHERE t.account_id = ${accountId} ${beyond} ORDER BY ${order} LIMIT ${PAGE}::int`,
    ),
  );
}

/** How many rows an account and its test keys have, by table; tables without one are left out. */
export async function countAccountRows(db: Db, accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const accounts = await accountsOf(db, accountId);
  for (const { name } of TABLES) {
    const table = Prisma.raw(`public.${name}`);
    const [found] = await withDeadline(DEADLINES.bulk, () =>
      rows(db, COUNT, (list) => Prisma.sql`SELECT ${list} FROM ${table} t WHERE t.account_id = ANY(${accounts})`),
    );
    if (found?.count) counts[name] = found.count;
  }
  return counts;
}

/**
 * Deletes an account that is disabled, with everything that is stored of it and of its test keys, in small transactions: it may run beside the service,
 * and be repeated. Passes go on until one finds nothing, because work that was under way may still store a row.
 * @param onPage called after each transaction with how many rows have been deleted so far, by table.
 * @returns how many rows were deleted, by table; those that follow from others are not counted.
 */
export async function eraseAccount(
  db: Db,
  accountId: string,
  onPage: (deleted: Readonly<Record<string, number>>) => void = () => {},
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  const count = (name: string, rows: number) => {
    deleted[name] = (deleted[name] ?? 0) + rows;
    onPage(deleted);
  };
  for (const id of await accountsOf(db, accountId)) await eraseOne(db, id, count);
  return deleted;
}

async function eraseOne(db: Db, accountId: string, count: (table: string, rows: number) => void): Promise<void> {
  for (let isClean = false; !isClean; ) {
    isClean = true;
    for (const name of [...TABLES.map((table) => table.name), ...DERIVED]) {
      for (let rows = await eraseFrom(db, name, accountId); rows > 0; rows = await eraseFrom(db, name, accountId)) {
        isClean = false;
        count(name, rows);
      }
    }
  }
  await db.account.deleteMany({ where: { id: accountId } });
}

/** Deletes a page of rows. @returns how many there were. */
function eraseFrom(db: Db, name: string, accountId: string): Promise<number> {
  const erase = name === 'trackings' ? erasePageOfTrackings : erasePage;
  return withDeadline(DEADLINES.bulk, () => erase(db, name, accountId));
}

function erasePage(db: Db, name: string, accountId: string): Promise<number> {
  return db.$executeRaw`${deletionOfPage(name, accountId)}`;
}

function deletionOfPage(name: string, accountId: string): Prisma.Sql {
  const table = Prisma.raw(`public.${name}`);
  // In a partitioned table, rows of several partitions may have one ctid; all of them are the account's.
  return Prisma.sql`
    DELETE FROM ${table} WHERE account_id = ${accountId} AND ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE account_id = ${accountId} LIMIT ${PAGE}::int))`;
}

/**
 * Numbers are also kept where no account is named: as subscriptions to the callbacks of providers, which all accounts share,
 * and as the parcels of an outage. Those that no other account has go with the parcels.
 */
async function erasePageOfTrackings(db: Db, name: string, accountId: string): Promise<number> {
  const [page] = await rows(
    db,
    COUNT,
    (list) => Prisma.sql`
    WITH t AS (${deletionOfPage(name, accountId)} RETURNING id, tracking_number), subscribed AS (
      DELETE FROM public.subscriptions s USING t WHERE s.tracking_number = t.tracking_number AND NOT EXISTS (
        SELECT 1 FROM public.trackings o WHERE o.tracking_number = s.tracking_number AND o.account_id <> ${accountId})
    ), failed AS (
      UPDATE public.provider_pauses SET parcels = ARRAY(
        SELECT unnest(parcels) EXCEPT (SELECT id FROM t UNION ALL SELECT tracking_number FROM t))
      WHERE EXISTS (SELECT 1 FROM t WHERE id = ANY (parcels) OR tracking_number = ANY (parcels))
    )
    SELECT ${list} FROM t`,
  );
  return page?.count ?? 0;
}
