import { column, columns, type Db, rowsByIndexOnce } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { type Candidates, candidatesByIds, candidatesOf } from './candidates.ts';
import { BOUNDS } from './list.ts';
import { countOfCandidates, countOfWalk, fixed } from './page-statements.ts';
import { type Range, rangesOf } from './ranges.ts';
import { NEWEST_CHANGE_FIRST, NEWEST_REGISTRATION_FIRST, type ShipmentFilter } from './shipment.ts';

/** More are not counted. */
export const MAX_COUNTED = 10_000;
/** If this share of the newest rows matches, matches are too many to find all of them. */
const FREQUENT = 0.05;

/** How many parcels match; `isLowerBound` if there are, or may be, more. */
export type ShipmentCount = { total: number; isLowerBound: boolean };

/** Counts the parcels of a list as far as that is cheap. */
export async function countShipments(db: Db, filter: ShipmentFilter, bounds = BOUNDS): Promise<ShipmentCount> {
  const { ids } = filter;
  if (ids !== undefined)
    return (await countCandidates(db, candidatesByIds(ids), ids.length, filter)) ?? { total: 0, isLowerBound: false };
  const byUpdate = rangesOf({ filter, order: NEWEST_CHANGE_FIRST });
  const whole = [byUpdate, rangesOf({ filter, order: NEWEST_REGISTRATION_FIRST })].find(({ isWhole }) => isWhole);
  if (whole !== undefined) return countRanges(db, whole.ranges);
  const [range] = byUpdate.ranges;
  const { near, candidates, far, texts } = bounds;
  const first = await countWalk(db, range, near, filter);
  if (!first.isLowerBound) return first;
  const isFrequent = first.total >= FREQUENT * near;
  const parts = isFrequent ? [] : candidatesOf(filter, fixed(candidates + 1), fixed(texts));
  for (const part of parts) {
    const found = await countCandidates(db, part, candidates, filter);
    if (found !== null) return found;
  }
  return countWalk(db, range, far, filter);
}

const RANGE_COUNT = columns({ count: column<number>('count(*)::int') });

async function countRanges(db: Db, ranges: readonly Range[]): Promise<ShipmentCount> {
  const limit = fixed(MAX_COUNTED + 1);
  const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`1`, limit)})`);
  const [found] = await rowsByIndexOnce(
    db,
    RANGE_COUNT,
    (list) => Prisma.sql`SELECT ${list} FROM (SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) a LIMIT ${limit}) c`,
  );
  return upTo(found?.count ?? 0);
}

const CANDIDATE_COUNT = columns({ count: column<number>('p.count'), isTooMany: column<boolean>('z.is_too_many') });

/** @returns null if there are too many candidates. */
async function countCandidates(
  db: Db,
  candidates: Candidates,
  max: number,
  filter: ShipmentFilter,
): Promise<ShipmentCount | null> {
  const [found] = await rowsByIndexOnce(db, CANDIDATE_COUNT, (list) =>
    countOfCandidates(candidates, max, filter, list),
  );
  return found === undefined || found.isTooMany ? null : upTo(found.count);
}

const WALK_COUNT = columns({
  fitting: column<number>('(count(*) FILTER (WHERE w.fits))::int'),
  walked: column<number>('count(*)::int'),
});

async function countWalk(db: Db, range: Range, depth: number, filter: ShipmentFilter): Promise<ShipmentCount> {
  const [found] = await rowsByIndexOnce(db, WALK_COUNT, (list) => countOfWalk(range, depth, filter, list));
  const { fitting = 0, walked = 0 } = found ?? {};
  const counted = upTo(fitting);
  return { ...counted, isLowerBound: counted.isLowerBound || walked === depth };
}

function upTo(count: number): ShipmentCount {
  return { total: Math.min(count, MAX_COUNTED), isLowerBound: count > MAX_COUNTED };
}
