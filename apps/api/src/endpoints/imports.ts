import * as contract from '@pts/contract/imports';
import type { Infer } from '@pts/contract/schema';
import { ServiceError } from '@pts/core/errors';
import { FIELDS, IMPORT_DAYS, ROW_CODES, type WantedColumns } from '@pts/core/imports';
import { type Message, message, readMessage } from '@pts/core/languages/message';
import { toUtcSeconds } from '@pts/core/time';
import type { Account } from '@pts/db/accounts/accounts';
import { discardUpload, type Import, type ImportColumn, listImports as list, nextRejects } from '@pts/db/imports';
import { DEADLINES } from '@pts/db/pool';
import type { RunKey } from '@pts/db/run-leases';
import { readQuota } from '@pts/service/accounts';
import {
  cancelImport as cancel,
  findImport,
  type NewFile,
  receiveFile,
  rejectedHeader,
  startImport as start,
} from '@pts/service/imports';
import { withStreamLease } from '@pts/service/streams';
import type { Encoding } from '@pts/tabular/encoding';
import type { Request } from 'express';
import type { ApiDeps } from '../deps.ts';
import { askForBody, refuseDeclared } from '../http/body.ts';
import { type Exchange, fileOperation, type Localized, operation, streamOperation } from '../http/operation.ts';
import { createValidator, createWarnings } from '../http/validate.ts';
import { watchReader } from '../streaming/output.ts';

/** POST /imports */
export const startImport = fileOperation(contract.startImport, {
  async receive(deps, { account }, input, { request, response }) {
    const { format, encoding } = typeOf(request);
    refuseDeclared(request, contract.startImport.bodyBytes, message('split_file'));
    askForBody(request, response);
    const wanted: WantedColumns = Object.fromEntries(
      FIELDS.flatMap((field) => {
        const column = input[`${field}_column`];
        return column === undefined ? [] : [[field, column]];
      }),
    );
    const dryRun = input.dry_run === 'true';
    const fileName = input.file_name?.trim() || null;
    const bytes = readFile(deps, account.id, request);
    const file = await receiveFile(deps, { accountId: account.id, dryRun, fileName, wanted, format, encoding, bytes });
    // Afterwards: nobody waits for it.
    const discard = () => discardUpload(deps.db.$within(DEADLINES.statement), file).catch(() => {});
    return { ...file, discard };
  },
  async run(deps, { account }, file) {
    return viewOne(deps, account, await start(deps, file));
  },
});

const TYPES: Readonly<Record<string, NewFile['format']>> = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/plain': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  // What browsers on Windows send for .csv, and what they send if they do not know.
  'application/vnd.ms-excel': 'unknown',
  'application/octet-stream': 'unknown',
};

/** Null: which of the two orders it is, the bytes say. */
const CHARSETS: Readonly<Record<string, Encoding | null>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'utf-16': null,
  'utf-16le': null,
  'utf-16be': null,
  gb18030: 'gb18030',
  gbk: 'gb18030',
  gb2312: 'gb18030',
  'euc-kr': 'euc-kr',
  'ks_c_5601-1987': 'euc-kr',
  'euc-jp': 'euc-jp',
  'windows-1252': 'windows-1252',
  'iso-8859-1': 'windows-1252',
};

/** @throws ServiceError `unsupported_media_type` for another type, and for one that is packed. */
function typeOf({ headers }: Request): Pick<NewFile, 'format' | 'encoding'> {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw wrongType(message('file.packed'));
  const stated = headers['content-type'] ?? '';
  const [type = ''] = stated.toLowerCase().split(';');
  const format = Object.hasOwn(TYPES, type.trim()) ? TYPES[type.trim()] : undefined;
  if (format === undefined) throw wrongType(message('file.type'));
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(stated) ?? [];
  if (charset === undefined) return { format, encoding: null };
  const name = charset.toLowerCase();
  const encoding = Object.hasOwn(CHARSETS, name) ? CHARSETS[name] : undefined;
  if (encoding === undefined) throw wrongType(message('file.charset'));
  return { format, encoding };
}

function wrongType(text: Message): ServiceError {
  return new ServiceError('unsupported_media_type', { text });
}

/** The body as it arrives. The work on its pieces leaves time for other accounts. */
async function* readFile({ bulkhead }: ApiDeps, accountId: string, request: Request): AsyncGenerator<Buffer> {
  const slices = bulkhead.slices(accountId);
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      yield piece;
      await slices.next();
    }
  } catch (error) {
    if (!request.destroyed || request.complete) throw error;
    throw new ServiceError('bad_request', { text: message('file.cut') });
  }
}

/** GET /imports */
export const listImports = operation(contract.listImports, {
  async run(deps, { account }) {
    const imports = await viewImports(deps, account, await list(deps.db, account.id));
    return { count: imports.length, imports };
  },
});

/** GET /imports/{id} */
export const getImport = operation(contract.getImport, {
  run: async (deps, { account }, { id }) =>
    viewOne(deps, account, await findImport(deps, { accountId: account.id, id })),
});

/** DELETE /imports/{id} */
export const cancelImport = operation(contract.cancelImport, {
  run: async (deps, { account }, { id }) => viewOne(deps, account, await cancel(deps, { accountId: account.id, id })),
});

async function viewOne(deps: ApiDeps, account: Account, found: Import) {
  const [view] = await viewImports(deps, account, [found]);
  if (!view) throw new Error('an import has no view');
  return view;
}

const validate = createValidator(contract.rejectedRows.request);

/** GET /imports/{id}/rejected.csv */
export const rejectedRows = streamOperation(contract.rejectedRows, {
  async stream(deps, { account }, { request, response, confirm }) {
    const { id } = validate(request.params);
    const key = { accountId: account.id, id };
    const { columns } = await findImport(deps, key);
    // A file that nobody reads takes memory.
    await withStreamLease(deps, { accountId: account.id, kind: 'export', max: deps.streams.maxConcurrency }, () =>
      writeFile(deps, key, columns ?? [], { request, response, confirm }),
    );
  },
});

async function writeFile(
  { db: impatient, streams }: ApiDeps,
  key: RunKey,
  columns: readonly ImportColumn[],
  { request, response, confirm }: Pick<Exchange, 'request' | 'response' | 'confirm'>,
): Promise<void> {
  const db = impatient.$within(DEADLINES.statement);
  response.setHeader('Content-Type', 'text/csv; charset=utf-8');
  response.setHeader('Content-Disposition', `attachment; filename="rejected-${key.id}.csv"`);
  // A HEAD has the headers of the file, and no rows.
  if (request.method === 'HEAD') return void response.end();
  const reader = watchReader(response, streams.stalledMs);
  response.write(rejectedHeader(columns));
  for (let page = await nextRejects(db, key, 0); page; page = await nextRejects(db, key, page.firstRow)) {
    await confirm();
    response.write(page.csv);
    await reader.room();
    if (reader.gone.aborted) return;
  }
  response.end();
}

const DAY_MS = 86_400_000;

/** Imports of an account; for dry runs, also what is left of its quota. */
async function viewImports(
  deps: Pick<ApiDeps, 'db' | 'quotas' | 'now'>,
  account: Account,
  imports: readonly Import[],
): Promise<Localized<Infer<typeof contract.importView>>[]> {
  const quota = imports.some(({ dryRun }) => dryRun) ? await readQuota(deps, account) : null;
  return imports.map((found) => ({
    ...viewImport(found),
    ...(found.dryRun && quota ? { quota_remaining: quota.remaining } : {}),
  }));
}

function viewImport(found: Import): Localized<Infer<typeof contract.importView>> {
  const { state, rowsTotal, read, registered, known, updated, rejected, finishedAt } = found;
  return {
    id: found.id,
    // One that is still uploading is not found.
    state: state === 'uploading' ? 'queued' : state,
    dry_run: found.dryRun,
    file_name: found.fileName,
    format: found.format,
    encoding: found.encoding,
    file_bytes: found.fileBytes,
    columns: found.columns ?? [],
    ...ignoredColumns(found.columns ?? []),
    rows: { total: rowsTotal, read, registered, known, updated, rejected },
    units: registered,
    progress: state === 'done' ? 100 : Math.floor((100 * read) / Math.max(1, rowsTotal ?? 1)),
    rows_per_second: rateOf(found),
    faults: found.faults.map((fault) => {
      const message = readMessage(fault.message);
      const code = typeof message === 'object' ? message.code.replace(/^row\./, '') : '';
      return { ...fault, message, ...(ROW_CODES.includes(code) && { code }) };
    }),
    error: readMessage(found.error),
    created_at: toUtcSeconds(found.createdAt),
    started_at: found.startedAt && toUtcSeconds(found.startedAt),
    finished_at: finishedAt && toUtcSeconds(finishedAt),
    expires_at: finishedAt && toUtcSeconds(new Date(finishedAt.getTime() + IMPORT_DAYS * DAY_MS)),
  };
}

/** The columns with a header that are read as nothing. */
function ignoredColumns(columns: NonNullable<Import['columns']>) {
  const warnings = createWarnings();
  const ignored = columns.filter(({ field }) => field === null).map(({ header }) => [header.trim(), true]);
  // Only fields that have no column can be meant by one.
  const free = FIELDS.filter((field) => columns.every((column) => column.field !== field));
  warnings.lookAt(Object.fromEntries(ignored.filter(([header]) => header !== '')), free);
  return warnings.found();
}

function rateOf({ read, startedAt, progressAt }: Import): number | null {
  if (read === 0 || !startedAt || !progressAt) return null;
  const seconds = Math.max(0.001, (progressAt.getTime() - startedAt.getTime()) / 1000);
  return Math.round((10 * read) / seconds) / 10;
}
