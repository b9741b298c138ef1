import { DUE_AT, SLOT_JOIN, WITH_SLOT } from '../checks/ring.ts';
import { column, columns, type Db, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';
import { recount, type TransitOf } from '../stats.ts';
import { accountsOf, pagesOf, type Table } from './personal-data.ts';

type Row = Record<string, unknown>;
type Cells = { from: Db; to: Db };
/** How many rows were read, and how many of them the other database did not have. */
export type Copied = Record<string, { read: number; stored: number }>;

/** Small tables, as they are. */
const PLAIN: readonly Table[] = [
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
/** A slot is a row of its database: elsewhere, a check begins with the time of its next tick. A pushed one needs a subscription first. */
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
 * Copies a disabled account and its test account to the database of another installation, disabled there, too. It may be
 * repeated, and pollers and dispatchers may run: what they do to the account after its rows were read is done again there, and
 * has the same ids. Not copied: finished imports, bulk actions and replays, and figures, which are counted again.
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

/** Transactions have other numbers in each database. Positions are given again, in the order of the pages (decision 0007). */
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

async function insertFrom(
  db: Db,
  name: string,
  page: readonly Row[],
  valuesOf: (names: readonly string[]) => readonly string[],
): Promise<number> {
  const names = Object.keys(page[0] ?? {}).map((each) => `"${each}"`);
  const table = Prisma.raw(`public.${name}`);
  const values = Prisma.raw(valuesOf(names).join(', '));
  return db.$executeRaw`
    INSERT INTO ${table} (${Prisma.raw(names.join(', '))})
    SELECT ${values} FROM jsonb_populate_recordset(NULL::${table}, ${JSON.stringify(page)}::jsonb) r
    ON CONFLICT DO NOTHING`;
}
