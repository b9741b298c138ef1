import { EXPORT_COLUMNS, exportShipments } from '@pts/contract/operations/shipments';
import { attentionOf } from '@pts/core/attention';
import { csvLine, guarded } from '@pts/core/csv';
import { ServiceError } from '@pts/core/errors';
import { toUtcSeconds } from '@pts/core/time';
import { DEADLINES } from '@pts/db/pool';
import { listShipments } from '@pts/db/shipments/list';
import {
  NEWEST_REGISTRATION_FIRST,
  type ShipmentCursor,
  type ShipmentFilter,
  type ShipmentOrder,
  type ShipmentRow,
} from '@pts/db/shipments/shipment';
import { filterFaults, readFilter, readOrder } from '@pts/service/shipments/filter';
import { withStreamLease } from '@pts/service/streams';
import type { Response } from 'express';
import type { ApiDeps } from '../../deps.ts';
import { createValidator } from '../../http/body/validate.ts';
import { type Exchange, streamOperation } from '../../http/operation.ts';
import { VARY_BY_KEY } from '../../http/private-answers.ts';
import { type Reader, watchReader } from '../../streaming/reader.ts';

/** Rows read by one statement. */
const CHUNK = 500;
/** Spreadsheets take a file for UTF-8 if it begins with this. */
const BYTE_ORDER_MARK = '\ufeff';

const validate = createValidator(exportShipments.request);

/** GET /shipments.csv */
export const shipmentsCsv = streamOperation(exportShipments, {
  async stream(deps, { account: { id }, query }, { request, response, confirm }) {
    const input = validate({ ...query }, (given) => filterFaults(deps, given));
    const list = { filter: readFilter(id, input, deps.now()), order: readOrder(input, NEWEST_REGISTRATION_FIRST) };
    await withStreamLease(deps, { accountId: id, kind: 'export', max: deps.streams.maxConcurrency }, () =>
      writeFile(deps, list, { request, response, confirm }),
    );
  },
});

/** Writes all pages of a list. A fault after the first one ends the connection, so that the client knows that lines are missing. */
async function writeFile(
  { reads, bulkhead, streams, now }: ApiDeps,
  { filter, order }: { filter: ShipmentFilter; order: ShipmentOrder },
  { request, response, confirm }: Pick<Exchange, 'request' | 'response' | 'confirm'>,
): Promise<void> {
  const slices = bulkhead.slices(filter.accountId);
  let reader: Reader | undefined;
  let after: ShipmentCursor | undefined;
  for (let isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const from = after;
    const page = await reads.read(filter.accountId, (db) =>
      listShipments(db.$within(DEADLINES.statement), { filter, order, after: from, limit: CHUNK }),
    );
    reader ??= begin(response, streams.stalledMs);
    // A HEAD has the headers of the file, and no lines.
    if (request.method === 'HEAD') break;
    slices.resume();
    const at = now();
    const head = isFirst ? `${BYTE_ORDER_MARK}${csvLine(EXPORT_COLUMNS)}` : '';
    response.write(`${head}${page.rows.map((row) => csvLine(cellsOf(row, at))).join('')}`);
    await slices.next();
    await reader.room();
    if (reader.gone.aborted) return;
    if (streams.stopping.aborted) throw new ServiceError('unavailable');
    after = page.next ?? undefined;
    if (after !== undefined) await confirm();
  }
  response.end();
}

/** After the first page was read: until then, a fault is answered like any other. */
function begin(response: Response, stalledMs: number): Reader {
  response.writeHead(200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="shipments.csv"',
    Vary: VARY_BY_KEY,
    // Proxies such as nginx would buffer the lines.
    'X-Accel-Buffering': 'no',
  });
  return watchReader(response, stalledMs);
}

/** In the order of `EXPORT_COLUMNS`. Naming the likeliest of several carriers would decide for it when the file is read again. */
function cellsOf(row: ShipmentRow, now: Date): string[] {
  const { latestEvent, estimate } = row;
  return [
    guarded(row.trackingNumber),
    row.isUndecided ? '' : row.carrier,
    row.status,
    row.subStatus,
    guarded(row.orderId ?? ''),
    guarded(row.title ?? ''),
    attentionOf(row, now)?.reason ?? '',
    latestEvent?.time ?? '',
    guarded(latestEvent?.location ?? ''),
    guarded(latestEvent?.description ?? ''),
    estimate?.from ?? '',
    estimate?.to ?? '',
    toUtcSeconds(row.createdAt),
    toUtcSeconds(row.updatedAt),
    guarded(row.id),
  ];
}
