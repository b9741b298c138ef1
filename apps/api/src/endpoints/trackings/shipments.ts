import { pageLimitAsNumber } from '@pts/contract/common';
import { listShipments as contract } from '@pts/contract/operations/shipments';
import type { Fault } from '@pts/core/faults';
import { ID_PATTERN } from '@pts/core/id';
import { isStatus, isSubStatus, STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import { listShipments, type ShipmentFilter, type ShipmentRow } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';
import { viewShipment } from './view.ts';

const MAX_TIME = Date.UTC(9999, 11, 31);

/** GET /shipments */
export const shipments = operation(contract, {
  faults: (_deps, input) => [...statusFaults(input), ...idsFaults(input), ...cursorFaults(input)],
  async run(deps, { account, language }, { status, ids, limit: limitText, cursor }) {
    const limit = limitText === undefined ? pageLimitAsNumber.default : Number(limitText);
    const filter = { accountId: account.id, ...byStatus(status), ...byIds(ids), ...afterCursor(cursor) };
    // One more than a page shows whether there is a next page.
    const rows = await listShipments(deps.db, { ...filter, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { shipments: page.map((row) => viewShipment(row, language)), next_cursor: last ? toCursor(last) : null };
  },
});

function byStatus(status: string | undefined): Partial<ShipmentFilter> {
  if (status === undefined) return {};
  if (isSubStatus(status)) return { subStatus: status };
  return isStatus(status) ? { status } : {};
}

/** Not an enum in the schema: an empty value means none, and a wrong one is often right but badly encoded. */
function statusFaults({ status }: Record<string, unknown>): Fault[] {
  if (typeof status !== 'string' || status === '' || isStatus(status) || isSubStatus(status)) return [];
  const message = `must be one of ${[...STATUSES, ...SUB_STATUSES].join(', ')}, percent-encoded as UTF-8`;
  return [{ field: 'status', message, error: 'invalid_field' }];
}

/** The trackings of a `poll_url`; none if nothing was accepted. */
function byIds(text: string | undefined): Partial<ShipmentFilter> {
  return text === undefined ? {} : { ids: idsIn(text) };
}

function idsFaults({ ids }: Record<string, unknown>): Fault[] {
  if (typeof ids !== 'string' || idsIn(ids).every((id) => ID_PATTERN.test(id))) return [];
  const message = 'must be ids of 24 lowercase hexadecimal characters, separated by commas';
  return [{ field: 'ids', message, error: 'invalid_id' }];
}

function idsIn(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

function toCursor({ updatedAt, id }: ShipmentRow): string {
  return Buffer.from(`${updatedAt.getTime()}.${id}`).toString('base64url');
}

function afterCursor(cursor: string | undefined): Partial<ShipmentFilter> {
  const after = cursor === undefined || cursor === '' ? null : fromCursor(cursor);
  return after === null ? {} : { after };
}

function cursorFaults({ cursor }: Record<string, unknown>): Fault[] {
  if (typeof cursor !== 'string' || cursor === '' || fromCursor(cursor)) return [];
  return [{ field: 'cursor', message: 'must be a next_cursor of an earlier response', error: 'invalid_field' }];
}

function fromCursor(cursor: string): { updatedAt: Date; id: string } | null {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
  const updatedAt = new Date(Number(time));
  // The database does not read years with more digits.
  if (!/^\d{1,15}$/.test(time) || !ID_PATTERN.test(id) || updatedAt.getTime() > MAX_TIME) return null;
  return { updatedAt, id };
}
