import { IMPORT_DAYS, MAX_FILE_BYTES, MAX_IMPORTS, MAX_ROWS, MAX_UNFINISHED } from '@pts/core/imports';
import { BODY_BYTES, sizeText } from '../body-limits.ts';
import { defineOperation, defineStream, NO_INPUT } from '../operation.ts';
import { importById, importRequest, importsResponse, importView } from '../schemas/imports.ts';

const ROWS = MAX_ROWS.toLocaleString('en');

const EXAMPLE = {
  id: '69a47c11c2d3e4f506172841',
  state: 'queued' as const,
  dry_run: false,
  file_name: 'orders.csv',
  format: 'csv' as const,
  encoding: 'utf-8',
  file_bytes: 48_213,
  columns: [
    { header: '运单号', field: 'tracking_number' as const },
    { header: '订单号', field: 'order_id' as const },
    { header: '备注', field: null },
  ],
  rows: { total: null, read: 0, registered: 0, known: 0, updated: 0, rejected: 0 },
  units: 0,
  progress: 0,
  rows_per_second: null,
  faults: [],
  error: null,
  created_at: '2026-03-01T17:51:29Z',
  started_at: null,
  finished_at: null,
  expires_at: null,
};

const DONE = {
  ...EXAMPLE,
  state: 'done' as const,
  rows: { total: 1000, read: 1000, registered: 740, known: 30, updated: 16, rejected: 214 },
  units: 740,
  progress: 100,
  rows_per_second: 412.5,
  faults: [
    {
      field: 'tracking_number',
      message: 'has 51 or more characters: shorten it',
      rows: 214,
      sample_rows: [7, 12, 13, 20, 31],
    },
  ],
  started_at: '2026-03-01T17:51:29Z',
  finished_at: '2026-03-01T17:51:32Z',
  expires_at: '2026-03-31T17:51:32Z',
};

/** Registers the parcels of a file in the background. */
export const startImport = defineOperation({
  method: 'post',
  path: '/imports',
  limit: 'imports.create',
  repeat: 'keyed',
  scope: 'write',
  bodyBytes: BODY_BYTES.file,
  input: 'file',
  request: importRequest,
  response: importView,
  doc: {
    id: 'startImport',
    tag: 'Imports',
    summary: 'Import a file',
    summaryZh: '导入文件',
    description: `The body is the file: CSV (comma, semicolon or tab; UTF-8, GB18030 or Windows-1252), NDJSON with the objects of \`POST /trackings/create\`, or the first visible sheet of an Excel workbook (\`.xlsx\`), of at most ${sizeText(MAX_FILE_BYTES)} and ${ROWS} rows. The response comes when the file is stored; \`GET /imports/{id}\` shows the progress. A list of numbers needs no header.

The rows are registered one after another, like those of any other registration: a new number costs one unit. A number that is registered already costs nothing, and its \`phone\`, \`postal_code\`, \`destination_country\`, \`order_id\`, \`title\` and \`metadata\` become those of the row, where that is not empty: upload an edited export again to update. Rows that cannot be registered are rejected, with reasons, and do not stop the others. When the quota is used up, the remaining new numbers are rejected: upload the rejected rows again later. A dry run reports the cost and the faults beforehand.

A file that cannot be read, or is too long, registers nothing. The imports of an account run one after another; at most ${MAX_UNFINISHED} may wait or run. The file is deleted when its import ends; the last ${MAX_IMPORTS} imports and their rejected rows are kept for ${IMPORT_DAYS} days.`,
    media: {
      request: {
        'text/csv': { schema: { type: 'string' }, example: '运单号,订单号,备注\nYT8962646785999,A-1001,\n' },
        'application/x-ndjson': {
          schema: { type: 'string' },
          example: '{"tracking_number":"YT8962646785999","order_id":"A-1001"}\n',
        },
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
          schema: { type: 'string', format: 'binary' },
        },
      },
    },
    example: { request: { file_name: 'orders.csv' }, response: EXAMPLE },
  },
});

/** The imports of an account. */
export const listImports = defineOperation({
  method: 'get',
  path: '/imports',
  limit: 'imports',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: importsResponse,
  doc: {
    id: 'listImports',
    tag: 'Imports',
    summary: 'List imports',
    summaryZh: '列出导入任务',
    description: `The last ${MAX_IMPORTS} imports, newest first, as far as they are not older than ${IMPORT_DAYS} days.`,
    example: { response: { count: 1, imports: [DONE] } },
  },
});

/** One import and its progress. */
export const getImport = defineOperation({
  method: 'get',
  path: '/imports/:id',
  limit: 'imports',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: importById,
  response: importView,
  doc: {
    id: 'getImport',
    tag: 'Imports',
    summary: 'Read an import and its progress',
    summaryZh: '查看导入进度',
    description: 'The counts are as of the last batch of rows that was stored.',
    errors: ['not_found'],
    example: { response: DONE },
  },
});

/** Cancels an import. */
export const cancelImport = defineOperation({
  method: 'delete',
  path: '/imports/:id',
  limit: 'imports',
  repeat: 'safe',
  scope: 'write',
  input: 'params',
  request: importById,
  response: importView,
  doc: {
    id: 'cancelImport',
    tag: 'Imports',
    summary: 'Cancel an import',
    summaryZh: '取消导入',
    description:
      'No further rows are registered, except a batch that is being registered now; what was registered stays so. An import that has ended is returned unchanged.',
    errors: ['not_found'],
    example: { response: { ...EXAMPLE, state: 'cancelled', finished_at: '2026-03-01T17:51:30Z' } },
  },
});

/** The rejected rows of an import as a file. */
export const rejectedRows = defineStream({
  method: 'get',
  path: '/imports/:id/rejected.csv',
  limit: 'imports',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: importById,
  line: { type: 'string' },
  doc: {
    id: 'getRejectedRows',
    tag: 'Imports',
    summary: 'Download the rejected rows',
    summaryZh: '下载被拒绝的行',
    description:
      'CSV in UTF-8 with the columns of the file and, last, `rejected_because`. Correct the rows and upload the file as it is: the last column is ignored, and so is the apostrophe of a cell that a spreadsheet would run as a formula, or change as a number or a date. While the import is running, the rows that were rejected so far. It is one of the 2 exports that an account can have open.',
    errors: ['not_found'],
    media: {
      response: {
        'text/csv': {
          schema: { type: 'string' },
          example:
            '运单号,订单号,rejected_because\r\n1234,A-1001,tracking_number has fewer than 5 letters and digits: complete it\r\n',
        },
      },
    },
  },
});
