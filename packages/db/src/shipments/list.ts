import type { Db } from '../connection/client.ts';
import { column, columns, hotRows, rows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';
import { findCandidates } from './candidates.ts';
import type { PageRequest } from './conditions.ts';
import { pageOfIds, pageOfRanges, pageOfWalk } from './page.ts';
import { type Range, rangesOf } from './ranges.ts';
import { SHIPMENT, type ShipmentCursor, type ShipmentRow } from './shipment.ts';

/**
 * Rows of a list that are read at most: few, to see whether matches are frequent, and then as many as take some tens of
 * milliseconds.
 */
export const DEPTHS = { first: 1000, most: 20_000 } as const;

/** `next` is where the following page starts; null if there is none. */
export type ShipmentPage = { rows: ShipmentRow[]; next: ShipmentCursor | null };

/**
 * A page of an account's parcels. Where an index has the list in its order, a page is a range of it. Otherwise the parcels that a
 * part of the filter matches are read and sorted, if they are few; if they are many, the list is read in its order until the page
 * is full, but only so far: then a page has fewer rows than its limit, or none, and still says where the next one starts.
 */
export async function listShipments(db: Db, request: PageRequest): Promise<ShipmentPage> {
  // One more than a page shows whether there is a next page.
  const wanted = { ...request, limit: request.limit + 1 };
  const { ids } = request.filter;
  const { ranges, isWhole } = rangesOf(request);
  const [range] = ranges;
  if (ids !== undefined) return pageFrom(await readIds(db, ids, wanted), request);
  if (isWhole) return pageFrom(await readRanges(db, ranges, wanted), request);
  const near = await readWalk(db, range, wanted, DEPTHS.first);
  if (near.isComplete) return pageFrom(near.rows, request);
  const candidates = await findCandidates(db, request.filter);
  if (candidates !== null) return pageFrom(await readIds(db, candidates, wanted), request);
  const far = await readWalk(db, range, wanted, DEPTHS.most);
  return far.isComplete ? pageFrom(far.rows, request) : { rows: far.rows, next: far.end };
}

function pageFrom(found: readonly ShipmentRow[], { limit }: PageRequest): ShipmentPage {
  const page = found.slice(0, limit);
  return { rows: page, next: found.length > limit ? (page.at(-1) ?? null) : null };
}

function readIds(db: Db, ids: readonly string[], request: PageRequest): Promise<ShipmentRow[]> {
  return rows(db, SHIPMENT, (list) => pageOfIds(ids, request, list));
}

function readRanges(db: Db, ranges: readonly [Range, ...Range[]], request: PageRequest): Promise<ShipmentRow[]> {
  const [range, ...others] = ranges;
  // The usual lists, of which there are few.
  return others.length === 0
    ? hotRows(db, SHIPMENT, (list) => range(list, Prisma.sql`${request.limit}`))
    : rows(db, SHIPMENT, (list) => pageOfRanges(ranges, request, list));
}

const WALKED = columns({ ...SHIPMENT.columns, isEnd: column<boolean>('p.is_end') });

type Walked =
  | { rows: ShipmentRow[]; isComplete: true }
  | { rows: ShipmentRow[]; isComplete: false; end: ShipmentCursor };

async function readWalk(db: Db, range: Range, request: PageRequest, depth: number): Promise<Walked> {
  const found = await rows(db, WALKED, (list) => pageOfWalk(range, request, depth, list));
  const end = found.find(({ isEnd }) => isEnd);
  const matches = found.filter(({ isEnd }) => !isEnd);
  return end === undefined ? { rows: matches, isComplete: true } : { rows: matches, isComplete: false, end };
}
