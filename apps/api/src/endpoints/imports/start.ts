import { startImport as contract } from '@pts/contract/operations/imports';
import { ServiceError } from '@pts/core/errors';
import { FIELDS, type WantedColumns } from '@pts/core/imports';
import { discardUpload } from '@pts/db/imports';
import { DEADLINES } from '@pts/db/pool';
import { type NewFile, receiveFile, startImport as start } from '@pts/service/imports';
import type { Encoding } from '@pts/tabular/encoding';
import type { Request } from 'express';
import type { ApiDeps } from '../../deps.ts';
import { askForBody, refuseDeclared } from '../../http/body/body-bytes.ts';
import { fileOperation } from '../../http/operation.ts';
import { viewImports } from './view.ts';

/** POST /imports */
export const startImport = fileOperation(contract, {
  async receive(deps, { account }, input, { request, response }) {
    const { format, encoding } = typeOf(request);
    refuseDeclared(request, contract.bodyBytes, 'Divide the file into several.');
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
    const [view] = await viewImports(deps, account, [await start(deps, file)]);
    if (!view) throw new Error('an import has no view');
    return view;
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

const CHARSETS: Readonly<Record<string, Encoding>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  gb18030: 'gb18030',
  gbk: 'gb18030',
  gb2312: 'gb18030',
  'windows-1252': 'windows-1252',
  'iso-8859-1': 'windows-1252',
};

/** @throws ServiceError `unsupported_media_type` for another type, and for one that is packed. */
function typeOf({ headers }: Request): Pick<NewFile, 'format' | 'encoding'> {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw wrongType('Send the file without Content-Encoding.');
  const stated = headers['content-type'] ?? '';
  const [type = ''] = stated.toLowerCase().split(';');
  const format = Object.hasOwn(TYPES, type.trim()) ? TYPES[type.trim()] : undefined;
  if (format === undefined)
    throw wrongType(
      'Send the file as the body, with the Content-Type text/csv, application/x-ndjson or application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.',
    );
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(stated) ?? [];
  if (charset === undefined) return { format, encoding: null };
  const name = charset.toLowerCase();
  const encoding = Object.hasOwn(CHARSETS, name) ? CHARSETS[name] : undefined;
  if (encoding === undefined)
    throw wrongType('The charset must be UTF-8, GB18030 or Windows-1252; omit it to have it recognised.');
  return { format, encoding };
}

function wrongType(text: string): ServiceError {
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
    const text = 'The connection closed before the whole file arrived. Send it again.';
    throw new ServiceError('bad_request', { text });
  }
}
