import { carrierUrl } from '@pts/carriers/registry/pages';
import { writerOf } from '@pts/carriers/texts/writer';
import { limitOf } from '@pts/contract/common';
import * as contract from '@pts/contract/shipments';
import { ATTENTION_REASONS, type AttentionDays, attentionDays, attentionOf, reasonText } from '@pts/core/attention';
import { csvLine, guarded } from '@pts/core/csv';
import { type Fault, invalidField, ServiceError } from '@pts/core/errors';
import { ID_PATTERN } from '@pts/core/id';
import { message } from '@pts/core/languages/message';
import { languageOfText } from '@pts/core/languages/texts';
import { toUtcSeconds } from '@pts/core/time';
import { type FieldSource, type Include, optionalColumns, optionalFields } from '@pts/core/tracking/fields';
import { toTrackingEvent } from '@pts/core/tracking/scan';
import type { Db } from '@pts/db/connection';
import { isDatabaseUnreachable } from '@pts/db/errors';
import { DEADLINES, within } from '@pts/db/pool';
import {
  type AttentionMoment,
  countShipments,
  listShipments,
  NEWEST_CHANGE_FIRST,
  NEWEST_REGISTRATION_FIRST,
  type ShipmentCount,
  type ShipmentCursor,
  type ShipmentFilter,
  type ShipmentOrder,
  type ShipmentRow,
} from '@pts/db/shipments';
import { readAttention } from '@pts/service/accounts';
import { filterFaults, readFilter, readOrder } from '@pts/service/shipments';
import { withStreamLease } from '@pts/service/streams';
import type { Response } from 'express';
import type { ApiDeps } from '../deps.ts';
import { VARY_BY_KEY } from '../http/answers.ts';
import { type Caller, type Exchange, operation, streamOperation } from '../http/operation.ts';
import { createValidator } from '../http/validate.ts';
import { type Reader, watchReader } from '../streaming/output.ts';
import { viewTexts } from './trackings.ts';

/** GET /shipments */
export const shipments = operation(contract.listShipments, {
  faults: (deps, input) => [...filterFaults(deps, input), ...idsFaults(input), ...cursorFaults(input)],
  async run(deps, { account, language, include }, input) {
    const { reads, now } = deps;
    const at = now();
    const filter = { ...readFilter(account, input, at), ...byIds(input.ids) };
    const order = readOrder(input, NEWEST_CHANGE_FIRST);
    const limit = limitOf(input.limit);
    const after = readCursor(input.cursor, order);
    const isDetailed = include.length > 0;
    const readPage = async (db: Db) => {
      const page = await listShipments(db, { filter, order, after, limit, isDetailed });
      return { page, count: input.count === 'true' ? await countInTime(db, filter) : null };
    };
    // A `poll_url` lists what was registered a moment ago, perhaps through another process.
    const reader = { providers: deps.providers, language, include, now: at, days: attentionDays(account.attention) };
    const { page, count } = await (input.ids === undefined ? reads.read(account.id, readPage) : readPage(deps.db));
    return {
      shipments: page.rows.map((row) => viewShipment(row, reader)),
      next_cursor: page.next && toCursor(page.next, order),
      ...(count && { total: count.total, total_is_lower_bound: count.isLowerBound }),
    };
  },
});

/** Null if it takes longer than half of the time of a statement: the rows are there. */
async function countInTime(db: Db, filter: ShipmentFilter): Promise<ShipmentCount | null> {
  try {
    return await within(db.$statementMs / 2, countShipments(db, filter), () => null);
  } catch (error) {
    if (isDatabaseUnreachable(error)) return null;
    throw error;
  }
}

/** Wrong ids that a refusal names. */
const MAX_NAMED = 5;

/** The trackings of a `poll_url`, each once; none if nothing was accepted. */
function byIds(text: string | undefined): { ids?: string[] } {
  return text === undefined ? {} : { ids: [...new Set(idsIn(text))] };
}

function idsFaults({ ids }: Record<string, unknown>): Fault[] {
  if (typeof ids !== 'string') return [];
  return idsIn(ids)
    .flatMap((id, index) =>
      ID_PATTERN.test(id)
        ? []
        : [{ field: `ids.${index}`, message: message('field.ids'), error: 'invalid_id' as const }],
    )
    .slice(0, MAX_NAMED);
}

function idsIn(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

/** Rows read by one statement. */
const CHUNK = 500;
/** Spreadsheets take a file for UTF-8 if it begins with this. */
const BYTE_ORDER_MARK = '\ufeff';

const validate = createValidator(contract.exportShipments.request);

/** GET /shipments.csv */
export const shipmentsCsv = streamOperation(contract.exportShipments, {
  async stream(deps, { account, query, include }, { request, response, confirm }) {
    const input = validate({ ...query }, (given) => filterFaults(deps, given));
    const list = {
      include,
      days: attentionDays(account.attention),
      filter: readFilter(account, input, deps.now()),
      order: readOrder(input, NEWEST_REGISTRATION_FIRST),
    };
    await withStreamLease(deps, { accountId: account.id, kind: 'export', max: deps.streams.maxConcurrency }, () =>
      writeFile(deps, list, { request, response, confirm }),
    );
  },
});

type ExportedList = {
  filter: ShipmentFilter;
  order: ShipmentOrder;
  include: readonly Include[];
  days: AttentionDays;
};

/**
 * Writes all pages of a list. A fault after the first one ends the connection, so that the client knows that lines are
 * missing.
 */
async function writeFile(
  { reads, bulkhead, streams, now }: ApiDeps,
  { filter, order, include, days }: ExportedList,
  { request, response, confirm }: Pick<Exchange, 'request' | 'response' | 'confirm'>,
): Promise<void> {
  const slices = bulkhead.slices(filter.accountId);
  const added = optionalColumns(include);
  const isDetailed = include.length > 0;
  let reader: Reader | undefined;
  let after: ShipmentCursor | undefined;
  for (let isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const from = after;
    const page = await reads.read(filter.accountId, (db) =>
      listShipments(db.$within(DEADLINES.statement), { filter, order, after: from, limit: CHUNK, isDetailed }),
    );
    reader ??= begin(response, streams.stalledMs);
    // A HEAD has the headers of the file, and no lines.
    if (request.method === 'HEAD') break;
    slices.resume();
    const at = now();
    const head = isFirst ? `${BYTE_ORDER_MARK}${csvLine([...contract.EXPORT_COLUMNS, ...added])}` : '';
    response.write(
      `${head}${page.rows.map((row) => csvLine([...cellsOf(row, at, days), ...optionalCells(row, include, added)])).join('')}`,
    );
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

/**
 * In the order of `EXPORT_COLUMNS`. Naming the likeliest of several carriers would decide for it when the file is read
 * again.
 */
function cellsOf(row: ShipmentRow, now: Date, days: AttentionDays): string[] {
  const { latestEvent, estimate } = row;
  return [
    guarded(row.trackingNumber),
    row.isUndecided ? '' : row.carrier,
    row.status,
    row.subStatus,
    guarded(row.orderId ?? ''),
    guarded(row.title ?? ''),
    attentionOf(row, now, days)?.reason ?? '',
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

function optionalPartsOf(row: ShipmentRow): FieldSource {
  return { ...row, carrierUrl: row.isUndecided ? null : carrierUrl(row.carrier, row.trackingNumber) };
}

/** The columns of the optional fields that are included. Texts are for people, and a cell has one language. */
function optionalCells(row: ShipmentRow, include: readonly Include[], names: readonly string[]): string[] {
  const fields: Readonly<Record<string, unknown>> = optionalFields(optionalPartsOf(row), include, null);
  return names.map((name) => guarded(cellOf(fields[name] ?? '')));
}

function cellOf(value: unknown): string {
  return typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** GET /attention */
export const attention = operation(contract.getAttention, {
  async run(deps, { account, language, include }) {
    const at = deps.now();
    const found = await readAttention(deps, account, at);
    const reader = { providers: deps.providers, language, include, now: at, days: attentionDays(account.attention) };
    return {
      account: found.account.map(({ reason, message, webhookId }) => ({
        reason,
        message,
        ...(webhookId && { webhook_id: webhookId }),
      })),
      reasons: ATTENTION_REASONS.flatMap((reason) => {
        const count = found.counts.get(reason) ?? 0;
        return count === 0 ? [] : { reason, message: reasonText(reason), count };
      }),
      newest: found.newest.map((row) => viewShipment(row, reader)),
    };
  },
});

const MAX_TIME = Date.UTC(9999, 11, 31);

/** The time of the last news and the id; in the order of registrations, the id alone. */
function toCursor({ updatedAt, id }: ShipmentCursor, { by }: ShipmentOrder): string {
  const time = by === 'updated' ? updatedAt.getTime() : '';
  return Buffer.from(`${time}.${id}`).toString('base64url');
}

/** The place that a cursor names; undefined for none. */
function readCursor(cursor: string | undefined, order: ShipmentOrder): ShipmentCursor | undefined {
  return (cursor === undefined || cursor === '' ? null : fromCursor(cursor, order)) ?? undefined;
}

function cursorFaults({ cursor, sort }: Record<string, unknown>): Fault[] {
  if (typeof cursor !== 'string' || cursor === '' || fromCursor(cursor, readOrder({ sort }, NEWEST_CHANGE_FIRST)))
    return [];
  return [invalidField('cursor', message('field.cursor'))];
}

function fromCursor(cursor: string, { by }: ShipmentOrder): ShipmentCursor | null {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!ID_PATTERN.test(id)) return null;
  if (by === 'created') return time === '' ? { updatedAt: new Date(0), id } : null;
  const updatedAt = new Date(Number(time));
  // The database does not read years with more digits.
  return /^\d{1,15}$/.test(time) && updatedAt.getTime() <= MAX_TIME ? { updatedAt, id } : null;
}

/** A row of a list, at this moment. Optional parts appear only if there is something to say. */
function viewShipment(
  row: ShipmentRow,
  {
    providers,
    language,
    include,
    now,
    days,
  }: Pick<ApiDeps, 'providers'> & Pick<Caller, 'language' | 'include'> & AttentionMoment,
) {
  const { latestEvent, estimate, orderId, title } = row;
  const attention = attentionOf(row, now, days);
  const writtenIn = language && latestEvent && languageOfText(latestEvent.description, writerOf(row, providers));
  return {
    id: row.id,
    tracking_number: row.trackingNumber,
    carrier: row.carrier,
    status: row.status,
    sub_status: row.subStatus,
    ...viewTexts(row, language),
    latest_event: latestEvent && toTrackingEvent(latestEvent),
    ...(writtenIn && { latest_event_lang: writtenIn }),
    ...(orderId && { order_id: orderId }),
    ...(title && { title }),
    ...(estimate && { estimated_delivery: estimate }),
    ...(include.length > 0 && optionalFields(optionalPartsOf(row), include, language)),
    ...(attention && { attention: { reason: attention.reason, message: attention.message } }),
    created_at: toUtcSeconds(row.createdAt),
    updated_at: toUtcSeconds(row.updatedAt),
  };
}
