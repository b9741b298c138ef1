import type { Db } from '../connection/client.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';
import { findCandidates } from './candidates.ts';
import { DEPTHS } from './list.ts';
import { countOfIds, countOfWalk, fixed } from './page.ts';
import { type Range, rangesOf } from './ranges.ts';
import { NEWEST_CHANGE_FIRST, type ShipmentFilter, type ShipmentOrder } from './shipment.ts';

/** More are not counted. */
export const MAX_COUNTED = 10_000;
/** If so many of the newest rows match, matches are too many to find all of them. */
const FREQUENT = DEPTHS.first / 20;

/** How many parcels match; `isLowerBound` if there are, or may be, more. */
export type ShipmentCount = { total: number; isLowerBound: boolean };

const NEWEST_FIRST: ShipmentOrder = { by: 'created', isAscending: false };

const COUNT = columns({ count: column<number>('count(*)::int') });
const WALK_COUNT = columns({
  fitting: column<number>('(count(*) FILTER (WHERE w.fits))::int'),
  walked: column<number>('count(*)::int'),
});

/** Counts the parcels of a list as far as that is cheap. */
export async function countShipments(db: Db, filter: ShipmentFilter): Promise<ShipmentCount> {
  if (filter.ids !== undefined) return countIds(db, filter.ids, filter);
  const byUpdate = rangesOf({ filter, order: NEWEST_CHANGE_FIRST });
  const whole = [byUpdate, rangesOf({ filter, order: NEWEST_FIRST })].find(({ isWhole }) => isWhole);
  if (whole !== undefined) return countRanges(db, whole.ranges);
  const [range] = byUpdate.ranges;
  const near = await countWalk(db, range, filter, DEPTHS.first);
  if (!near.isLowerBound) return near;
  const candidates = near.total < FREQUENT ? await findCandidates(db, filter) : null;
  return candidates === null ? countWalk(db, range, filter, DEPTHS.most) : countIds(db, candidates, filter);
}

async function countIds(db: Db, ids: readonly string[], filter: ShipmentFilter): Promise<ShipmentCount> {
  const [found] = await rows(db, COUNT, (list) => countOfIds(ids, { filter }, list));
  return { total: found?.count ?? 0, isLowerBound: false };
}

async function countRanges(db: Db, ranges: readonly Range[]): Promise<ShipmentCount> {
  const limit = fixed(MAX_COUNTED + 1);
  const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`1`, limit)})`);
  const [found] = await rows(
    db,
    COUNT,
    (list) => Prisma.sql`SELECT ${list} FROM (SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) a LIMIT ${limit}) c`,
  );
  const count = found?.count ?? 0;
  return { total: Math.min(count, MAX_COUNTED), isLowerBound: count > MAX_COUNTED };
}

async function countWalk(db: Db, range: Range, filter: ShipmentFilter, depth: number): Promise<ShipmentCount> {
  const [found] = await rows(db, WALK_COUNT, (list) => countOfWalk(range, { filter }, depth, list));
  const { fitting = 0, walked = 0 } = found ?? {};
  return { total: Math.min(fitting, MAX_COUNTED), isLowerBound: walked === depth || fitting > MAX_COUNTED };
}
