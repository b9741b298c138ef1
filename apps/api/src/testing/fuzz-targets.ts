import { streamLine, streamRequest } from '@pts/contract/batch';
import { errorEnvelope } from '@pts/contract/common';
import { feedEvent } from '@pts/contract/events';
import { EXPORT_COLUMNS } from '@pts/contract/shipments';
import { createRequest } from '@pts/contract/trackings';
import { message as said } from '@pts/core/languages/message';
import fc from 'fast-check';
import { compatV4 } from '../compat-v4.ts';
import { operations, operatorOperations } from '../endpoints/index.ts';
import type { Route, StreamOperation } from '../http/operation.ts';
import { createResponseCheck } from '../http/validate.ts';
import { fitting, hostileText, nearlyFitting } from './arbitrary.ts';
import { type FuzzRequest, type Input, requestsTo } from './fuzz.ts';

/** What is fuzzed: requests, how often, and what their answers must look like. */
export type FuzzTarget = {
  name: string;
  weight: number;
  requests: fc.Arbitrary<FuzzRequest>;
  /** @throws an Error that says what is wrong with an answer's body. */
  check(status: number, text: string): void;
};

const checkError = createResponseCheck(errorEnvelope);
const checkLine = createResponseCheck(streamLine);
const checkEvent = createResponseCheck(feedEvent);

/**
 * Numbers over 599 are refusals of the API family, all of them 400. What is only accepted has the number of success.
 */
function checkStatus(status: number, code: number): void {
  if (status === 202 && code === 200) return;
  if (status !== (code > 599 ? 400 : code)) throw new Error(`HTTP ${status} with the number ${code}`);
}

function checkV1(status: number, text: string): void {
  const answer = JSON.parse(text);
  if (answer.meta !== answer.code) throw new Error('meta differs from code');
  checkStatus(status, answer.code);
  if (answer.code === 200) return;
  checkError(answer);
  const fields = ((answer.data.errors ?? []) as { field: string }[]).map(({ field }) => field);
  if (new Set(fields).size !== fields.length) throw new Error('a field is reported twice');
}

function checkV4(status: number, text: string): void {
  const { meta, data, message } = JSON.parse(text);
  // Its path is unknown, so the envelope is that of `/api/v1`.
  if (message === String(said('head_too_large'))) {
    checkV1(status, text);
    return;
  }
  checkStatus(status, meta.code);
  if (typeof meta.message !== 'string' || typeof data !== 'object' || data === null) throw new Error('no envelope');
}

/** A stream answers lines up to a summary, or events with the same, or is refused as a whole. */
function checkStream(status: number, text: string): void {
  if (status !== 200) return void checkV1(status, text);
  const lines = text.split('\n').flatMap((line) => (/^(event:.*)?$/.test(line) ? [] : line.replace(/^data: /, '')));
  const parsed = lines.map((line) => JSON.parse(line));
  for (const line of parsed) checkLine(line);
  const last = parsed.at(-1);
  if (last?.type !== 'summary') throw new Error('the stream ends without a summary');
  const answered = parsed.filter(({ type }) => ['tracking', 'error', 'timeout'].includes(type)).length;
  if (answered !== last.requested) throw new Error(`${answered} of ${last.requested} numbers have a line`);
}

/** A stream of events has events of the feed, and comments, or is refused as a whole. */
function checkEvents(status: number, text: string): void {
  if (status !== 200) return void checkV1(status, text);
  for (const line of text.split('\n')) {
    if (line.startsWith('data: ')) checkEvent(JSON.parse(line.slice(6)));
    else if (!/^$|^:|^(id|event|retry): \S+$/.test(line)) throw new Error(`an unknown line: ${line}`);
  }
}

const v4Item = {
  type: 'object',
  required: ['tracking_number'],
  properties: {
    tracking_number: { type: 'string' },
    courier_code: { type: 'string' },
    ...Object.fromEntries(
      ['order_number', 'title', 'customer_phone', 'customer_name', 'customer_email', 'note', 'language'].map((name) => [
        name,
        { type: ['string', 'null'], maxLength: 30 },
      ]),
    ),
    tracking_destination_country: { type: 'string', pattern: '^[A-Za-z]{2}$' },
  },
} as const;

/** The bodies that operations of version 4 read themselves. */
const V4_BODIES: Record<string, object> = {
  'post /trackings/create': v4Item,
  'post /trackings/batch': { type: 'array', minItems: 1, items: v4Item },
  'put /trackings/update/:id': { ...v4Item, required: [] },
};

function plain(
  entry: Omit<Input, 'doc'> & { doc?: Input['doc'] },
  base: string,
  check: FuzzTarget['check'],
): FuzzTarget {
  const { method, path, doc } = entry;
  const requestBody = V4_BODIES[`${method} ${path}`];
  const input = { ...entry, doc: doc ?? (requestBody ? { requestBody } : {}) };
  // Objects that are deleted at once cannot be found by other requests.
  const weight = method === 'delete' ? 1 : 5;
  return { name: `${method.toUpperCase()} ${base}${path}`, weight, requests: requestsTo(input, base), check };
}

/** A file begins with the names of its columns, and has as many cells in each line. */
function checkFile(status: number, text: string): void {
  if (status !== 200) return void checkV1(status, text);
  const [head = '', ...lines] = text.replace(/\r\n$/, '').split('\r\n');
  const count = EXPORT_COLUMNS.length;
  if (head !== EXPORT_COLUMNS.join(',')) throw new Error(`the file begins with ${head}`);
  const cells = (line: string) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',').length;
  const odd = lines.find((line) => cells(line) !== count);
  if (odd !== undefined) throw new Error(`a line has not ${count} cells: ${odd}`);
}

function streams(entry: StreamOperation): FuzzTarget[] {
  const name = `${entry.method.toUpperCase()} /api/v1${entry.path}`;
  if (entry.input === 'query') {
    const check = entry.path.endsWith('.csv') ? checkFile : checkEvents;
    return [{ name, weight: 5, requests: requestsTo(entry, '/api/v1'), check }];
  }
  const json = requestsTo(
    { ...entry, doc: { requestBody: { anyOf: [streamRequest, streamRequest.properties.tracking_numbers] } } },
    '/api/v1',
  );
  const accept = fc.constantFrom('text/event-stream', 'application/x-ndjson', '*/*');
  const both = fc.oneof(
    json,
    lines.map((body): FuzzRequest => ({ ...LINES, endpoint: entry.path, body })),
  );
  const requests = fc.tuple(both, accept).map(([request, wanted]) => ({
    ...request,
    headers: { ...request.headers, Accept: wanted },
  }));
  return [{ name, weight: 5, requests, check: checkStream }];
}

const LINES = {
  method: 'POST',
  base: '/api/v1',
  params: {},
  query: [],
  headers: { 'Content-Type': 'application/x-ndjson' },
};

const asText = (value: unknown) => JSON.stringify(value) ?? '';
const line = fc.oneof(
  { weight: 4, arbitrary: fitting(createRequest.properties.tracking_number, 'tracking_number').map(String) },
  { weight: 4, arbitrary: fitting(createRequest).map(asText) },
  { weight: 3, arbitrary: nearlyFitting(createRequest).map(asText) },
  { weight: 2, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '['.repeat(100), '['.repeat(20_000), 'x'.repeat(17_000), '"', '\r'),
  },
);
const lines = fc
  .tuple(
    fc.array(line, { maxLength: 12 }),
    fc.constantFrom('\n', '\r\n', '\n\n'),
    fc.option(fc.tuple(fc.nat(), fc.nat(255))),
  )
  .map(([all, end, cut]) => {
    const bytes = Buffer.from(all.join(end));
    if (cut && bytes.length > 0) bytes[cut[0] % bytes.length] = cut[1];
    return new Uint8Array(bytes);
  });

/** Files to import: valid rows, nearly valid ones, and anything. */
const files = fc
  .tuple(
    fc.constantFrom('tracking_number,order_id', '运单号;订单号', 'a\tb', 'tracking_number', ''),
    fc.array(fc.oneof(fitting(createRequest.properties.tracking_number, 'tracking_number').map(String), line), {
      maxLength: 8,
    }),
    fc.constantFrom('\n', '\r\n', ',\n'),
    fc.option(fc.tuple(fc.nat(), fc.nat(255))),
  )
  .map(([header, rows, end, cut]) => {
    const bytes = Buffer.from([header, ...rows].join(end));
    if (cut && bytes.length > 0) bytes[cut[0] % bytes.length] = cut[1];
    return new Uint8Array(bytes);
  });
const fileTypes = fc.constantFrom(
  'text/csv',
  'text/csv; charset=gbk',
  'text/csv; charset=nothing',
  'application/x-ndjson',
  'application/octet-stream',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'image/png',
);

const CSV = { 'Content-Type': 'text/csv' };

/** An operation whose body is a file; its other input is the query. */
function upload(entry: Route): FuzzTarget {
  const queries = requestsTo({ ...entry, input: 'query', doc: {} }, '/api/v1');
  const any = fc.tuple(queries, files, fileTypes).map(([request, body, type]) => ({
    ...request,
    headers: { ...request.headers, 'Content-Type': type },
    body,
  }));
  // Few of all queries name columns that a file has.
  const plain = files.map((body): FuzzRequest => ({ ...LINES, endpoint: entry.path, headers: CSV, body }));
  const requests = fc.oneof(any, plain);
  return { name: `POST /api/v1${entry.path}`, weight: 5, requests, check: checkV1 };
}

/** An operation that answers with a file, or is refused. */
function downloadOf(entry: StreamOperation): FuzzTarget {
  const check = (status: number, text: string) => void (status !== 200 && checkV1(status, text));
  return {
    name: `GET /api/v1${entry.path}`,
    weight: 5,
    requests: requestsTo({ ...entry, doc: {} }, '/api/v1'),
    check,
  };
}

/** All operations of both versions. */
export const targets: readonly FuzzTarget[] = [
  ...operations.flatMap((entry) => {
    if ('stream' in entry) return [];
    return [entry.input === 'file' ? upload(entry) : plain(entry, '/api/v1', checkV1)];
  }),
  ...operatorOperations.map((entry) => plain(entry, '/api/v1', checkV1)),
  ...compatV4.map((entry) => plain(entry, '/v4', checkV4)),
  ...operations.flatMap((entry) => {
    if (!('stream' in entry)) return [];
    return entry.method === 'get' ? [downloadOf(entry)] : streams(entry);
  }),
];
