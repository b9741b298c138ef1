import {
  FIELDS,
  IMPORT_DAYS,
  MAX_FILE_BYTES,
  MAX_IMPORTS,
  MAX_ROWS,
  MAX_UNFINISHED,
  ROW_CODES,
} from '@pts/core/imports';
import { freeText, TRACKING_FIELD_NAMES, TRACKING_FIELDS, type TrackingField } from '@pts/core/tracking/fields';
import { entryCount, id, instant, instantOrNull, warnings } from './common.ts';
import { BODY_BYTES, sizeText } from './limits.ts';
import { defineOperation, defineStream, NO_INPUT } from './operation.ts';
import { object, optional } from './schema.ts';

const importId = { ...id, description: 'The id of the import.' } as const;

/** A parameter that names the column of a field. */
function columnOf(field: string, example: string) {
  return {
    ...freeText(200),
    description: `The column with the ${field}, by its header or its number, counted from 1. Send \`-\` for none. Omit it to have the column recognised by its English or Chinese header.`,
    examples: [example],
  } as const;
}

/** The parameters of the merchant's fields. */
function fieldColumns() {
  const columns = TRACKING_FIELD_NAMES.map((name) => {
    const [field, example] = TRACKING_FIELDS[name].column;
    return [`${name}_column`, columnOf(field, example)];
  });
  return Object.fromEntries(columns) as Readonly<Record<`${TrackingField}_column`, ReturnType<typeof columnOf>>>;
}

/** POST /imports: the parameters of the query; the body is the file. */
const importRequest = {
  type: 'object',
  properties: {
    dry_run: {
      type: 'string',
      enum: ['true', 'false'],
      description: 'If true, the file is only checked. Nothing is registered or charged.',
      examples: ['true'],
    },
    file_name: {
      ...freeText(200),
      description: 'The name of the file, for the list of imports.',
      examples: ['orders.csv'],
    },
    tracking_number_column: columnOf('tracking number', '运单号'),
    courier_code_column: columnOf('carrier, as a code or name of `GET /couriers/all`', '快递公司'),
    ...fieldColumns(),
  },
} as const;

const field = { title: 'ImportField', type: 'string', enum: FIELDS, description: 'The field of a tracking.' } as const;
const fieldOrNull = {
  anyOf: [field, { type: 'null' }],
} as const;
const count = { type: 'integer', minimum: 0 } as const;

export const importView = object(
  {
    id: importId,
    state: {
      title: 'ImportState',
      type: 'string',
      enum: ['queued', 'running', 'done', 'failed', 'cancelled'],
      description:
        '`queued`: it waits, perhaps for an earlier one of your account. `failed`: the file cannot be read, or an internal error has stopped the import; `error` says which.',
    },
    dry_run: { type: 'boolean', description: 'Whether the file is only checked.' },
    file_name: {
      type: ['string', 'null'],
      description: 'The name of the file, if it was sent.',
      examples: ['orders.csv'],
    },
    format: {
      title: 'ImportFormat',
      type: 'string',
      enum: ['csv', 'ndjson', 'xlsx'],
      description: 'The format of the file.',
    },
    encoding: {
      type: ['string', 'null'],
      description:
        'The encoding of the text: `utf-8`, `utf-16le`, `utf-16be`, `gb18030`, `euc-kr`, `euc-jp` or `windows-1252`; null for a workbook.',
      examples: ['utf-8'],
    },
    file_bytes: { ...count, description: 'The size of the file in bytes.', examples: [48213] },
    columns: {
      type: 'array',
      description: 'The columns of the file. Empty until the file is checked.',
      items: object(
        {
          header: { type: 'string', description: 'The header of the column.', examples: ['运单号'] },
          field: { ...fieldOrNull, description: 'The field that the column is read as; null if it is ignored.' },
        },
        { title: 'ImportColumn' },
      ),
    },
    warnings: optional(warnings),
    rows: object(
      {
        total: {
          type: ['integer', 'null'],
          description: 'The number of rows without the header; null until the file is checked.',
        },
        read: { ...count, description: 'The number of processed rows.' },
        registered: { ...count, description: 'Rows whose parcel was registered and charged.' },
        known: { ...count, description: 'Rows whose parcel was already registered and did not change.' },
        updated: {
          ...count,
          description:
            'Rows whose parcel was already registered and was updated. In a dry run, they are counted in `known`.',
        },
        rejected: {
          ...count,
          description: 'Rows that were rejected. `GET /imports/{id}/rejected.csv` lists them with the reasons.',
        },
      },
      {
        title: 'ImportRows',
        description:
          'The result of the rows so far, or in a dry run, their expected result. `read` is the sum of the other four.',
      },
    ),
    units: { ...count, description: 'The units of quota that were used, or in a dry run, that the import would need.' },
    quota_remaining: optional({ ...count, description: 'The units left this month. Present only in a dry run.' }),
    progress: { type: 'integer', minimum: 0, maximum: 100, description: 'Rows read, in percent.' },
    rows_per_second: {
      type: ['number', 'null'],
      description: 'Rows read per second since the start; null before any row is read.',
      examples: [412.5],
    },
    faults: {
      type: 'array',
      description: 'The faults of rejected rows, grouped by how to fix them.',
      items: object(
        {
          field: {
            type: ['string', 'null'],
            description: 'The invalid field; null if no single field is invalid.',
            examples: ['tracking_number'],
          },
          code: optional({
            type: 'string',
            description: `The kind of fault. Absent if it has no kind. ${ROW_CODES.map((code) => `\`${code}\``).join(', ')}; more may be added.`,
            examples: ['number_too_long'],
          }),
          message: {
            type: 'string',
            description: 'What is wrong, and what to do about it.',
            examples: ['has 51 or more characters: shorten it'],
          },
          rows: { ...count, description: 'The number of rows with this fault.', examples: [214] },
          sample_rows: {
            type: 'array',
            items: { type: 'integer' },
            description: 'The first of these rows, numbered as in spreadsheets and editors.',
            examples: [[7, 12, 13, 20, 31]],
          },
        },
        { title: 'ImportFault' },
      ),
    },
    error: { type: ['string', 'null'], description: 'Why it failed, and what to do about it.' },
    created_at: { ...instant, description: 'When it was uploaded.' },
    started_at: { ...instantOrNull, description: 'When it began to run.' },
    finished_at: { ...instantOrNull, description: 'When it ended and its file was deleted.' },
    expires_at: {
      ...instantOrNull,
      description: `When the import and its rejected rows are deleted, ${IMPORT_DAYS} days after its end.`,
    },
  },
  { title: 'Import', description: 'A file whose parcels are registered in the background.' },
);

const importById = object({ id: importId });

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
    description: `The body is the file: CSV (comma, semicolon or tab; UTF-8, GB18030 or Windows-1252), NDJSON with the objects of \`POST /trackings/create\`, or the first visible sheet of an Excel workbook (\`.xlsx\`), of at most ${sizeText(MAX_FILE_BYTES)} and ${ROWS} rows. The response comes once the file is stored. \`GET /imports/{id}\` shows the progress. A list of numbers needs no header.

The rows are registered one after another, as in any other registration. A new number costs one unit. A number that is already registered costs nothing, and its \`phone\`, \`postal_code\`, \`destination_country\`, \`order_id\`, \`title\` and \`metadata\` are updated from the row, except where the row is empty. To update parcels, upload an edited export. Rows that cannot be registered are rejected with reasons and do not stop the others. When the quota is used up, the remaining new numbers are rejected. Upload the rejected rows again later. A dry run reports the cost and the faults beforehand.

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

export const listImports = defineOperation({
  method: 'get',
  path: '/imports',
  limit: 'imports',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: object(
    {
      count: entryCount,
      imports: { type: 'array', items: importView, description: `The last ${MAX_IMPORTS}, newest first.` },
    },
    { title: 'ImportList' },
  ),
  doc: {
    id: 'listImports',
    tag: 'Imports',
    summary: 'List imports',
    summaryZh: '列出导入任务',
    description: `The last ${MAX_IMPORTS} imports of the last ${IMPORT_DAYS} days, newest first.`,
    example: { response: { count: 1, imports: [DONE] } },
  },
});

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
    description: 'The counts are those of the last stored batch of rows.',
    errors: ['not_found'],
    example: { response: DONE },
  },
});

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
      'No further rows are registered, except for a batch in progress. Registered parcels stay registered. An import that has ended is returned unchanged.',
    errors: ['not_found'],
    example: { response: { ...EXAMPLE, state: 'cancelled', finished_at: '2026-03-01T17:51:30Z' } },
  },
});

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
      'CSV in UTF-8 with the columns of the file and the additional last column `rejected_because`. Correct the rows and upload the file as it is. The last column is ignored, and so is the apostrophe in front of a cell that a spreadsheet would treat as a formula, number or date. While the import is running, the file has the rows rejected so far. An account can have 2 exports open, and this is one of them.',
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
