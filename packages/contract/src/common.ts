import { LANGUAGES } from '@pts/core/languages/texts';
import { REASONS } from '@pts/core/tracking/change';
import { EVENT_FIELD_SCHEMAS, INCLUDES } from '@pts/core/tracking/fields';
import { LONGEST_TYPED } from '@pts/core/tracking/number';
import { EVENT_KINDS, STATUSES, SUB_STATUSES, TRACKING_EVENT_KINDS } from '@pts/core/tracking/status';
import { object, optional } from './schema.ts';

export const id = {
  type: 'string',
  pattern: '^[0-9a-f]{24}$',
  description: 'An id assigned by the service: 24 lowercase hexadecimal characters.',
  examples: ['691f0a3c5d2b4e6f8a9c0d1e'],
} as const;
/** An id in a filter; empty: no filter. */
export const idOrEmpty = { type: 'string', pattern: '^([0-9a-f]{24})?$' } as const;
export const instant = {
  type: 'string',
  format: 'date-time',
  description: 'A time in UTC, ISO 8601 with `Z`.',
  examples: ['2025-11-21T00:30:00Z'],
} as const;
/** A time, or null. */
export const instantOrNull = { ...instant, type: ['string', 'null'] } as const;
/** A flag that is present only when true: a constant, but code generators do not support boolean constants. */
export const always = { type: 'boolean', not: { enum: [false] } } as const;
/**
 * Adds keywords to a schema that only the document states: what an operation checks itself, with messages that say
 * more.
 */
export function documentedWith<const S extends object>(schema: S, documented: object): S {
  const known = 'documented' in schema ? (schema.documented as object) : {};
  return { ...schema, documented: { ...known, ...documented } };
}

export const NO_OTHER_FIELDS = { additionalProperties: false } as const;

/** A change without a field is refused, and one with other fields at least ignores them. */
export const ANY_CHANGE = { minProperties: 1, ...NO_OTHER_FIELDS } as const;

type ObjectSchema = { readonly required: readonly string[]; readonly properties: Readonly<Record<string, object>> };

/**
 * One schema for a result and its dry run, with the fields of both: most code generators cannot tell two alternatives
 * apart that have no property with different values.
 * @param own properties that differ between the two
 */
export function withDryRun<
  const T extends string,
  const R extends ObjectSchema,
  const D extends ObjectSchema,
  const P extends Readonly<Record<string, object>> = Record<never, never>,
>(title: T, description: string, result: R, dryRun: D, own: P = {} as P) {
  type Required = Extract<R['required'][number], D['required'][number]>;
  type Properties = Omit<R['properties'], keyof D['properties'] | keyof P> & Omit<D['properties'], keyof P> & P;
  return {
    title,
    type: 'object',
    description,
    required: result.required.filter((name): name is Required => dryRun.required.includes(name)),
    properties: { ...result.properties, ...dryRun.properties, ...own } as Properties,
  } as const;
}
/** The parts of a request that were ignored. Only in answers to requests that had such fields. */
export const warnings = {
  type: 'array',
  description: 'Fields of the request that were ignored, and what was probably meant. Absent if there are none.',
  items: object(
    {
      index: optional({
        type: 'integer',
        minimum: 0,
        description: "In a bulk call, the number's place in the request, from 0. Absent for a field outside the list.",
        examples: [1],
      }),
      field: { type: 'string', description: 'The field that was ignored.', examples: ['carrier'] },
      message: {
        type: 'string',
        description: 'What to do about it.',
        examples: ['was ignored: send it as courier_code'],
      },
    },
    { title: 'Warning' },
  ),
} as const;
export const status = {
  title: 'Status',
  type: 'string',
  enum: STATUSES,
  description:
    'The overall status: 查询中 registered or in transit, 派送中 out for delivery or ready for pickup, 已签收 delivered, 异常 exception.',
} as const;
export const subStatus = {
  title: 'SubStatus',
  type: 'string',
  enum: SUB_STATUSES,
  description:
    'The detailed status behind `status`. 查询中: `pending`, `info_received`, `in_transit`. 派送中: `out_for_delivery`, `available_for_pickup`. 已签收: `delivered`. 异常: `exception`, `undeliverable`, `returned`. `expired` (no updates for 30 days) keeps its last status.',
} as const;

/** The kind of an event of a parcel. */
export const trackingEventKind = {
  title: 'TrackingEventKind',
  type: 'string',
  enum: TRACKING_EVENT_KINDS,
  description: 'The kind of event.',
} as const;

export const eventKind = {
  title: 'EventKind',
  type: 'string',
  enum: EVENT_KINDS,
  description: 'The kind of event.',
} as const;

/** A tracking number as it was typed has at least a digit. Full-width digits count. */
export const TYPED_NUMBER = {
  minLength: 5,
  maxLength: LONGEST_TYPED,
  pattern: '^[^0-9\uFF10-\uFF19]*[0-9\uFF10-\uFF19].*$',
} as const;

export const trackingNumber = {
  type: 'string',
  description: 'The tracking number in its normal form: upper case, without spaces and hyphens.',
  examples: ['YT8962646785999'],
} as const;
export const carrierCode = {
  type: 'string',
  description: 'The carrier, by its lowercase code; `GET /couriers/all` lists them.',
  examples: ['yto'],
} as const;
export const detectedCarrier = {
  type: 'string',
  description:
    'Equal to `carrier` if the service detected it. Absent if you chose it, and while `candidates` are being checked.',
  examples: ['yto'],
} as const;

/** The carriers of a number that may belong to several. */
export const candidateCodes = {
  type: 'array',
  items: { type: 'string' },
  description:
    'The possible carriers of the number, which are checked one after another until one of them knows it. That one becomes `carrier` and `detected_carrier`. Until then, `carrier` is the most likely one.',
  examples: [['sf-express', 'zto', 'sto']],
} as const;

/** The page size. Query parameters are strings, so a pattern checks it; the reference shows a number. */
export const pageLimit = { type: 'string', pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$' } as const;
export const pageLimitAsNumber = {
  type: 'integer',
  minimum: 1,
  maximum: 200,
  default: 50,
  description: 'The maximum number of entries to return.',
} as const;

/** The page size that a valid query asks for. */
export function limitOf(limit: string | undefined): number {
  return limit === undefined ? pageLimitAsNumber.default : Number(limit);
}

/** The parts of every list, beside its entries. */
export const entryCount = { type: 'integer', description: 'The number of entries.' } as const;
export const nextBefore = {
  type: ['string', 'null'],
  description: 'The value for `before` on the next page; null on the last page.',
} as const;
export const nextCursor = {
  type: ['string', 'null'],
  description: 'The value for `cursor` on the next page; null on the last page.',
} as const;

/** The four fields that every event has (spec section 2.4). */
export const eventFields = {
  time: { ...instant, description: 'When the scan happened, in UTC.' },
  location: {
    type: 'string',
    description: 'Where the scan happened, as the carrier reports it. It can be empty.',
    examples: ['杭州市'],
  },
  description: {
    type: 'string',
    description: 'What happened, as the carrier reports it.',
    examples: ['快件正在派送中'],
  },
  status: {
    type: 'string',
    description: 'The kind of scan: `in_transit`, `out_for_delivery`, `delivered`, …',
    examples: ['out_for_delivery'],
  },
} as const;

/** A tracking event (spec section 2.4). */
export const trackingEvent = {
  title: 'TrackingEvent',
  type: 'object',
  description: 'One scan of a parcel, as its carrier reported it.',
  required: ['time', 'location', 'description', 'status'],
  properties: {
    ...eventFields,
    ...EVENT_FIELD_SCHEMAS,
  },
} as const;

/** Why a parcel has its status, if its events alone do not explain it. */
export const reason = {
  title: 'StatusReason',
  type: 'string',
  enum: REASONS,
  description:
    'The reason for the status where the events alone do not explain it. `delivery_revoked`: the carrier withdrew the delivery. `presumed`: the parcel was left at a pickup point, and the carrier stopped reporting a week ago.',
} as const;

export const pieces = object(
  {
    total: { type: 'integer', description: 'The number of pieces.', examples: [3] },
    delivered: { type: 'integer', description: 'The number of delivered pieces.', examples: [1] },
  },
  { title: 'Pieces', description: 'The pieces of a multi-piece shipment. It is delivered when all of its pieces are.' },
);

/** The envelope of every response (spec section 2.1). */
export function envelope(data: object) {
  return object({ ...SUCCESS, data });
}

/** The fixed success text (spec section 2.1). */
export const SUCCESS_NUMBER = 200;
export const SUCCESS_MESSAGE = '请求响应成功。';
/** Bounds instead of a constant, so that generated code has a plain number, not a type for each operation. */
const NUMBER = { type: 'integer', minimum: SUCCESS_NUMBER, maximum: SUCCESS_NUMBER } as const;
const SUCCESS = {
  code: { ...NUMBER, description: '200 if the request succeeded.' },
  meta: { ...NUMBER, description: 'The same as `code`.' },
  message: {
    type: 'string',
    pattern: `^${SUCCESS_MESSAGE}$`,
    description: 'The same text for every success.',
    examples: [SUCCESS_MESSAGE],
  },
} as const;

/** Where a client reads about an error. */
export const docsUrl = {
  type: 'string',
  description: 'The page about this error, with its causes, what to do, and an example.',
  examples: ['https://api.example.com/docs/errors/4110'],
} as const;

/** The envelope of an error: the number twice, the message, and the invalid fields or the next cursor, if any. */
export const errorEnvelope = object(
  {
    code: { type: 'integer', description: 'The error number. Use it in your code.', examples: [4110] },
    meta: { type: 'integer', description: 'The same as `code`.', examples: [4110] },
    message: {
      type: 'string',
      description:
        'What is wrong and how to fix it, for humans, in Chinese if `lang` or `Accept-Language` asks for it, otherwise in English. The wording may change.',
    },
    data: {
      title: 'ErrorData',
      type: 'object',
      description:
        'A link to the page about the error, and depending on the error, the invalid fields or where to continue.',
      properties: {
        docs_url: docsUrl,
        next_cursor: {
          type: 'string',
          description: 'With 409, in `GET /events`: the value for `after` in the next request.',
        },
        events_removed: {
          ...always,
          description:
            'With 409, in `GET /events`: true if events before `next_cursor` were removed that you may have missed; absent otherwise.',
        },
        errors: {
          type: 'array',
          description: 'Every invalid field.',
          items: object(
            {
              field: {
                type: 'string',
                description: "The field's path in the body, or the query parameter's name.",
                examples: ['metadata.shop'],
              },
              message: { type: 'string', description: 'What is wrong with it.', examples: ['is missing'] },
            },
            { title: 'FieldError' },
          ),
        },
      },
    },
  },
  { title: 'ErrorEnvelope', description: 'The format of every error.' },
);

/** The groups of optional fields in words: `problem`: what is wrong with the parcel; … */
export const INCLUDED = `${Object.entries(INCLUDES)
  .map(([name, text]) => `\`${name}\`: ${text}`)
  .join('; ')}.`;

/** The language of texts, as a query parameter. */
export const lang = {
  type: 'string',
  maxLength: 35,
  description: `Adds \`status_text\` and \`sub_status_text\` in this language (${LANGUAGES.join(', ')}; \`pt-BR\` counts as \`pt\`), in a tracking \`events_lang\`, and in a shipment \`latest_event_lang\`. Without it, or with another language, \`Accept-Language\` decides. If that names none of these either, there are no such texts.`,
  examples: ['de'],
} as const;
const INCLUDE_NAME = `(${Object.keys(INCLUDES).join('|')})`;

/** The groups of optional fields, as a query parameter. */
export const include = documentedWith(
  {
    type: 'string',
    maxLength: 200,
    description: `Optional fields to add, separated by commas. ${INCLUDED} Omit it to get the fields chosen for the account (\`PATCH /account\`). Send it empty to get none.`,
    examples: ['problem,milestones'],
  },
  { pattern: `^(${INCLUDE_NAME}(,${INCLUDE_NAME})*)?$` },
);
/** The texts that `lang` adds. */
export const statusTexts = {
  status_text: {
    type: 'string',
    description: '`status` in words, in the language of the request. Absent if the request names no language.',
    examples: ['Out for delivery'],
  },
  sub_status_text: {
    type: 'string',
    description: '`sub_status` in words, in the language of the request. Absent if the request names no language.',
    examples: ['Ready for pick-up'],
  },
} as const;

/** The language of carriers' texts. */
export const eventsLang = {
  type: 'string',
  description:
    'The language in which the carrier wrote the `events` (BCP 47), if it is known and the same for all. Present only if the request names a language.',
  examples: ['zh'],
} as const;

/** The language of the carrier's text in a row of a list. */
export const latestEventLang = {
  type: 'string',
  description:
    'The language in which the carrier wrote `latest_event` (BCP 47), if it is known. Present only if the request names a language.',
  examples: ['zh'],
} as const;

export const EXAMPLE_RECORD_ID = '6a2b4f0c81d3e5a7b9c2d4f6';

export const recordId = {
  ...id,
  description: 'The id of a delivery record, from the delivery log.',
  examples: [EXAMPLE_RECORD_ID],
} as const;

/** The number and the id of the examples in the reference. */
export const EXAMPLE_ID = '691f0a3c5d2b4e6f8a9c0d1e';
export const EXAMPLE_NUMBER = 'YT8962646785999';
export const EXAMPLE_PAGE_URL = 'https://track.example.com/t/pX3nQm0b7Yd2kV9sT1cZrA';

/** A tracking as the reference shows it. */
export const TRACKING_EXAMPLE = {
  id: EXAMPLE_ID,
  tracking_number: EXAMPLE_NUMBER,
  carrier: 'yto',
  detected_carrier: 'yto',
  status: '派送中',
  sub_status: 'out_for_delivery',
  events: [
    {
      time: '2025-11-21T00:30:00Z',
      location: '杭州市',
      description: '快件正在派送中',
      status: 'out_for_delivery',
    },
  ],
  created_at: '2025-11-20T12:30:04Z',
  updated_at: '2025-11-21T00:34:12Z',
  last_checked_at: '2025-11-21T00:49:10Z',
  next_check_at: '2025-11-21T00:54:02Z',
  watch: { mode: 'polled', interval_seconds: 300 },
  order_id: 'A-1001',
};
