import { FIELDS, IMPORT_DAYS, MAX_IMPORTS, ROW_FAULTS } from '@pts/core/imports';
import { freeText, id, instant, instantOrNull, warnings } from '../common.ts';

const importId = { ...id, description: 'The id of the import.' } as const;

/** A parameter that names the column of a field. */
function columnOf(field: string, examples: readonly string[]) {
  return {
    ...freeText(200),
    description: `The column that holds the ${field}: its header, or its number from 1; \`-\` for none. Omit it to have it guessed from the headers, in English or Chinese.`,
    examples,
  } as const;
}

/** POST /imports: the parameters of the query; the body is the file. */
export const importRequest = {
  type: 'object',
  properties: {
    dry_run: {
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: the file is only examined. Nothing is registered or charged.',
      examples: ['true'],
    },
    file_name: {
      ...freeText(200),
      description: 'The name of the file, for the list of imports.',
      examples: ['orders.csv'],
    },
    tracking_number_column: columnOf('tracking number', ['运单号']),
    courier_code_column: columnOf('carrier, as a code or name of `GET /couriers/all`', ['快递公司']),
    phone_column: columnOf('phone number', ['手机']),
    postal_code_column: columnOf('postal code', ['Zip']),
    destination_country_column: columnOf('destination country', ['Country']),
    order_id_column: columnOf('order number', ['订单号']),
    title_column: columnOf('title', ['Product']),
    metadata_column: columnOf('metadata, as JSON', ['metadata']),
  },
} as const;

const field = { title: 'ImportField', type: 'string', enum: FIELDS, description: 'The field of a tracking.' } as const;
const fieldOrNull = {
  anyOf: [field, { type: 'null' }],
} as const;
const count = { type: 'integer', minimum: 0 } as const;

export const importView = {
  title: 'Import',
  type: 'object',
  description: 'A file whose parcels are registered in the background.',
  required: [
    'id',
    'state',
    'dry_run',
    'file_name',
    'format',
    'encoding',
    'file_bytes',
    'columns',
    'rows',
    'units',
    'progress',
    'rows_per_second',
    'faults',
    'error',
    'created_at',
    'started_at',
    'finished_at',
    'expires_at',
  ],
  properties: {
    id: importId,
    state: {
      type: 'string',
      enum: ['queued', 'running', 'done', 'failed', 'cancelled'],
      description:
        '`queued`: it waits, perhaps for an earlier one of your account. `failed`: the file cannot be read, or an internal error has stopped the import; `error` says which.',
    },
    dry_run: { type: 'boolean', description: 'Whether the file is only examined.' },
    file_name: {
      type: ['string', 'null'],
      description: 'The name of the file, if it was sent.',
      examples: ['orders.csv'],
    },
    format: { type: 'string', enum: ['csv', 'ndjson', 'xlsx'], description: 'The format of the file.' },
    encoding: {
      type: ['string', 'null'],
      description: 'The encoding of the text: `utf-8`, `utf-16le`, `gb18030` or `windows-1252`; null for a workbook.',
      examples: ['utf-8'],
    },
    file_bytes: { ...count, description: 'The size of the file in bytes.', examples: [48213] },
    columns: {
      type: 'array',
      description: 'The columns of the file; empty until it was examined.',
      items: {
        title: 'ImportColumn',
        type: 'object',
        required: ['header', 'field'],
        properties: {
          header: { type: 'string', description: 'The header of the column.', examples: ['运单号'] },
          field: { ...fieldOrNull, description: 'The field that it is read as; null: it is ignored.' },
        },
      },
    },
    warnings,
    rows: {
      title: 'ImportRows',
      type: 'object',
      description:
        'What became of the rows so far; `read` is the sum of the four others. In a dry run: what would become of them.',
      required: ['total', 'read', 'registered', 'known', 'updated', 'rejected'],
      properties: {
        total: {
          type: ['integer', 'null'],
          description: 'Rows of the file besides its header; null until it was examined.',
        },
        read: { ...count, description: 'Rows that were processed.' },
        registered: { ...count, description: 'Rows whose parcel was registered and charged.' },
        known: { ...count, description: 'Rows whose parcel was registered before, and has not changed.' },
        updated: {
          ...count,
          description: 'Rows whose parcel was registered before, and got other fields. In a dry run, `known` has them.',
        },
        rejected: {
          ...count,
          description: 'Rows that were rejected: `GET /imports/{id}/rejected.csv` has them with the reasons.',
        },
      },
    },
    units: { ...count, description: 'Units of quota that were used; in a dry run: that the import would need.' },
    quota_remaining: { ...count, description: 'Only in a dry run: the units that are left this month.' },
    progress: { type: 'integer', minimum: 0, maximum: 100, description: 'Rows read, in percent.' },
    rows_per_second: {
      type: ['number', 'null'],
      description: 'Rows read per second since it started; null before it has read any.',
      examples: [412.5],
    },
    faults: {
      type: 'array',
      description: 'The faults of rejected rows, grouped by what repairs them.',
      items: {
        title: 'ImportFault',
        type: 'object',
        required: ['field', 'message', 'rows', 'sample_rows'],
        properties: {
          field: {
            type: ['string', 'null'],
            description: 'The field at fault; null if it is none of them.',
            examples: ['tracking_number'],
          },
          code: {
            type: 'string',
            description: `The kind of fault; absent if it has none. ${Object.keys(ROW_FAULTS)
              .map((code) => `\`${code}\``)
              .join(', ')}; more may be added.`,
            examples: ['number_too_long'],
          },
          message: {
            type: 'string',
            description: 'What is wrong, and what to do about it.',
            examples: ['has 51 or more characters: shorten it'],
          },
          rows: { ...count, description: 'How many rows have it.', examples: [214] },
          sample_rows: {
            type: 'array',
            items: { type: 'integer' },
            description: 'The first of them, as spreadsheets and editors number them.',
            examples: [[7, 12, 13, 20, 31]],
          },
        },
      },
    },
    error: { type: ['string', 'null'], description: 'Why it failed, and what to do about it.' },
    created_at: { ...instant, description: 'When it was uploaded.' },
    started_at: { ...instantOrNull, description: 'When it began to run.' },
    finished_at: { ...instantOrNull, description: 'When it ended; then its file was deleted.' },
    expires_at: {
      ...instantOrNull,
      description: `When it and its rejected rows are deleted: ${IMPORT_DAYS} days after its end.`,
    },
  },
} as const;

export const importsResponse = {
  title: 'ImportList',
  type: 'object',
  required: ['count', 'imports'],
  properties: {
    count: { type: 'integer', description: 'The number of entries.' },
    imports: { type: 'array', items: importView, description: `The last ${MAX_IMPORTS}, newest first.` },
  },
} as const;

export const importById = { type: 'object', required: ['id'], properties: { id: importId } } as const;
