import { column, columns, type Db, hotRows, rowsByIndexOnce } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { type Candidates, candidatesByIds, candidatesOf } from './candidates.ts';
import { type PageRequest, stateRanges } from './conditions.ts';
import { fixed, pageOfCandidates, pageOfRanges, pageOfWalk } from './page-statements.ts';
import { type Range, rangesOf } from './ranges.ts';
import { SHIPMENT, type ShipmentCursor, type ShipmentRow } from './shipment.ts';

/** How much is read for a page that no index has in its order. */
export type Bounds = {
  /** Rows of the list, to see whether matches are frequent. */
  near: number;
  /** Parcels that a part of the filter matches. */
  candidates: number;
  /** Rows of the list. */
  far: number;
  /** Parcels whose text is compared with a search. */
  texts: number;
};

/** What takes some tens of milliseconds. */
export const BOUNDS: Bounds = { near: 1000, candidates: 10_000, far: 20_000, texts: 150_000 };

/** Of a page: less of it is only returned where matches are too many, or too far apart, to find all of them. */
const MIN_FILLED = 0.25;

/** `next` is where the following page starts; null if there is none. */
export type ShipmentPage = { rows: ShipmentRow[]; next: ShipmentCursor | null };

/**
 * A page of an account's parcels. Where an index has the list in its order, a page is a range of it. Otherwise a part of the list is
 * read in its order, if that is likely to find a good part of a page; if not, all parcels that a part of the filter matches are read
 * and sorted, unless there are too many. A page of a part of the list may have fewer rows than its limit, or none, and still says
 * where the next one starts.
 */
export async function listShipments(db: Db, request: PageRequest, bounds = BOUNDS): Promise<ShipmentPage> {
  // One more than a page shows whether there is a next page.
  const wanted = { ...request, limit: request.limit + 1 };
  const { rows: found, end } = await readList(db, wanted, bounds);
  const page = found.slice(0, request.limit);
  return { rows: page, next: found.length > request.limit ? (page.at(-1) ?? null) : end };
}

/** The first matches. `end`: where the reading has stopped, if there may be more behind it. */
type Found = { rows: ShipmentRow[]; end: ShipmentCursor | null };

async function readList(db: Db, request: PageRequest, bounds: Bounds): Promise<Found> {
  const { filter } = request;
  const { near, candidates, far, texts } = bounds;
  if (filter.ids !== undefined) {
    const named = await readCandidates(db, candidatesByIds(filter.ids), filter.ids.length, request);
    return named ?? { rows: [], end: null };
  }
  const { ranges, isWhole } = rangesOf(request);
  if (isWhole) return { rows: await readRanges(db, ranges, request), end: null };
  const first = await readWalk(db, ranges[0], near, request);
  if (first.end === null) return first;
  // At this rate, the page will be filled to this share. To read and sort all matches, of which there are many, takes longer.
  const isFrequent = first.rows.length * far >= MIN_FILLED * request.limit * near;
  const parts = isFrequent ? [] : candidatesOf(filter, fixed(candidates + 1), fixed(texts));
  for (const part of parts) {
    const found = await readCandidates(db, part, candidates, request);
    if (found !== null) return found;
  }
  return readWalk(db, ranges[0], far, request);
}

function readRanges(db: Db, ranges: readonly [Range, ...Range[]], request: PageRequest): Promise<ShipmentRow[]> {
  const { filter, order, limit } = request;
  const [range] = ranges;
  // The lists that are read most, of which there are few.
  return order.by === 'updated' && stateRanges(filter) === null
    ? hotRows(db, SHIPMENT, (list) => range(list, Prisma.sql`${limit}`))
    : rowsByIndexOnce(db, SHIPMENT, (list) => pageOfRanges(ranges, request, list));
}

const CANDIDATE = columns({ ...SHIPMENT.columns, isTooMany: column<boolean>('z.is_too_many') });

/** @returns null if there are too many candidates. */
async function readCandidates(
  db: Db,
  candidates: Candidates,
  max: number,
  request: PageRequest,
): Promise<Found | null> {
  const found = await rowsByIndexOnce(db, CANDIDATE, (list) => pageOfCandidates(candidates, max, request, list));
  if (found[0]?.isTooMany) return null;
  return { rows: found.filter(({ id }) => id !== null), end: null };
}

const WALKED = columns({ ...SHIPMENT.columns, isEnd: column<boolean>('p.is_end') });

async function readWalk(db: Db, range: Range, depth: number, request: PageRequest): Promise<Found> {
  const found = await rowsByIndexOnce(db, WALKED, (list) => pageOfWalk(range, depth, request, list));
  return { rows: found.filter(({ isEnd }) => !isEnd), end: found.find(({ isEnd }) => isEnd) ?? null };
}
