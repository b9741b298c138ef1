import type { Fault } from '@pts/core/errors';
import { ID_PATTERN } from '@pts/core/id';
import { NEWEST_CHANGE_FIRST, type ShipmentCursor, type ShipmentOrder } from '@pts/db/shipments/shipment';
import { readOrder } from '@pts/service/shipments/filter';

const MAX_TIME = Date.UTC(9999, 11, 31);

/** The time of the last news and the id; in the order of registrations, the id alone. */
export function toCursor({ updatedAt, id }: ShipmentCursor, { by }: ShipmentOrder): string {
  const time = by === 'updated' ? updatedAt.getTime() : '';
  return Buffer.from(`${time}.${id}`).toString('base64url');
}

/** The place that a cursor names; undefined for none. */
export function readCursor(cursor: string | undefined, order: ShipmentOrder): ShipmentCursor | undefined {
  return (cursor === undefined || cursor === '' ? null : fromCursor(cursor, order)) ?? undefined;
}

export function cursorFaults({ cursor, sort }: Record<string, unknown>): Fault[] {
  if (typeof cursor !== 'string' || cursor === '' || fromCursor(cursor, readOrder({ sort }, NEWEST_CHANGE_FIRST)))
    return [];
  const message = 'must be a next_cursor of an earlier response with the same sort';
  return [{ field: 'cursor', message, error: 'invalid_field' }];
}

function fromCursor(cursor: string, { by }: ShipmentOrder): ShipmentCursor | null {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!ID_PATTERN.test(id)) return null;
  if (by === 'created') return time === '' ? { updatedAt: new Date(0), id } : null;
  const updatedAt = new Date(Number(time));
  // The database does not read years with more digits.
  return /^\d{1,15}$/.test(time) && updatedAt.getTime() <= MAX_TIME ? { updatedAt, id } : null;
}
