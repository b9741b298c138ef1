import { getAccount } from '@pts/contract/account';
import { createTrackings } from '@pts/contract/batch';
import { id, recordId, trackingNumber } from '@pts/contract/common';
import { detectCarrier, listCouriers } from '@pts/contract/couriers';
import { deliveriesQuery, explainDelivery, listDeliveries, redeliver } from '@pts/contract/deliveries';
import { explainTracking } from '@pts/contract/explain';
import { MAX_NUMBERS } from '@pts/contract/limits';
import { listNotices, noticesQuery } from '@pts/contract/notices';
import type { OperationContract } from '@pts/contract/operation';
import type { Infer } from '@pts/contract/schema';
import { getAttention, listShipments, shipmentsQuery } from '@pts/contract/shipments';
import {
  createTracking,
  dryRun,
  getTracking,
  getTrackings,
  registrationInputs,
  retrackByNumber,
  retrackTracking,
  type tracking,
} from '@pts/contract/trackings';
import { listWebhooks } from '@pts/contract/webhooks';
import type { Named } from '@pts/service/trackings/trackings';

/** Possible effects of a tool on the account, for clients that ask before some calls. */
type Hints = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };

const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const WRITES: Hints = { ...READS, readOnlyHint: false };

/** The arguments of a tool. */
type Arguments = {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
};

/**
 * A tool for agents: an operation of the API under its own name, with the arguments and the answer of a conversation.
 */
export type Tool = {
  name: string;
  title: string;
  /** When to use it, and what it costs. */
  description: string;
  hints: Hints;
  inputSchema: Arguments;
  contract: OperationContract;
  /** Further operations that an agent does with it. */
  insteadOf?: readonly OperationContract[];
  /**
   * The input of the operation.
   * @param idOf finds the id of a tracking that is named by its number.
   */
  toInput(given: never, idOf: IdOf): unknown;
  /** The part of the answer that an agent needs. */
  present(answer: never): unknown;
};

/** The id of a tracking of the caller. @throws ServiceError */
type IdOf = (named: Named) => Promise<string>;

/** Declares a tool; its types derive from its arguments and from the contract of its operation. */
export function tool<const S extends Arguments, const C extends OperationContract>(
  spec: Omit<Tool, 'inputSchema' | 'contract' | 'toInput' | 'present'> & {
    inputSchema: S;
    contract: C;
    toInput(given: Infer<S>, idOf: IdOf): Infer<C['request']> | Promise<Infer<C['request']>>;
    present?(answer: Infer<C['response']>): unknown;
  },
): Tool {
  return { present: (answer: unknown) => answer, ...spec };
}

const MAX_ROWS = 50;
const DEFAULT_ROWS = 20;

const {
  status,
  q,
  order_id,
  metadata,
  carrier,
  created_after,
  created_before,
  updated_after,
  updated_before,
  needs_attention,
  sort,
  cursor,
} = shipmentsQuery.properties;

/** Parcels of one answer: their histories are long. */
const MAX_READ = 10;
/** The newest events of a parcel. */
const MAX_EVENTS = 25;

const numberProperty = { ...trackingNumber, description: 'The tracking number, as printed.' } as const;
/** The arguments that name one parcel. */
const namedParcel = {
  id: { ...id, description: 'The id of the parcel, from get_parcels or search_shipments, instead of its number.' },
  tracking_number: numberProperty,
  courier_code: {
    type: 'string',
    maxLength: 40,
    description: 'Its carrier, if the number is registered with several.',
  },
} as const;
const { metadata: _metadata, ...parcelFields } = registrationInputs;

/** The newest events; histories of some parcels have hundreds. */
function presentParcel({ events, previous_events, ...parcel }: Infer<typeof tracking>) {
  const omitted = events.length - MAX_EVENTS;
  return {
    ...parcel,
    events: events.slice(-MAX_EVENTS),
    ...(omitted > 0 ? { earlier_events_omitted: omitted } : {}),
    ...(previous_events === undefined ? {} : { previous_parcel_events: previous_events.length }),
  };
}

const deliveryId = { ...recordId, description: 'The id of the attempt, from list_deliveries.' } as const;
const { webhook_id, event, message_id, tracking_id, before } = deliveriesQuery.properties;

/** Every tool, in the order in which agents see them. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'what_needs_attention',
    title: 'What needs attention',
    description:
      'What needs somebody now: the account itself (quota, failing webhooks), how many shipments for each reason, and the newest ten of them. Start here for "is everything all right?". Free.',
    hints: READS,
    contract: getAttention,
    inputSchema: { type: 'object', properties: {} },
    toInput: (given) => given,
  }),
  tool({
    name: 'search_shipments',
    title: 'List and search shipments',
    description: `The shipments of the account, ${DEFAULT_ROWS} a page: searched by number, order id or title, filtered by status, carrier, times and what needs attention, sorted. total counts all that match, up to 10,000. Use it for lists, counts and questions such as "what is late?". Free.`,
    hints: READS,
    contract: listShipments,
    inputSchema: {
      type: 'object',
      properties: {
        q,
        order_id,
        metadata,
        status,
        carrier,
        created_after,
        created_before,
        updated_after,
        updated_before,
        needs_attention,
        sort,
        cursor,
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_ROWS,
          description: `Entries of a page; default ${DEFAULT_ROWS}.`,
        },
      },
    },
    toInput: ({ limit = DEFAULT_ROWS, ...filter }) => ({ ...filter, limit: String(limit), count: 'true' as const }),
  }),
  tool({
    name: 'get_parcels',
    title: 'Read parcels',
    description: `The status and the newest ${MAX_EVENTS} events of up to ${MAX_READ} registered parcels, by their tracking numbers. Use it for a question about a certain parcel; for lists and counts use search_shipments. Free.`,
    hints: READS,
    contract: getTrackings,
    insteadOf: [getTracking],
    inputSchema: {
      type: 'object',
      required: ['tracking_numbers'],
      properties: {
        tracking_numbers: {
          type: 'array',
          minItems: 1,
          maxItems: MAX_READ,
          items: { type: 'string', maxLength: 60, pattern: '^[^,]*$', examples: ['YT8962646785999'] },
          description: 'The tracking numbers, as printed.',
        },
      },
    },
    toInput: ({ tracking_numbers }) => ({ tracking_numbers: tracking_numbers.join(',') }),
    present: ({ success, rejected }) => ({
      parcels: success.map(presentParcel),
      ...(rejected === undefined ? {} : { not_registered: rejected.map((one) => one.tracking_number) }),
    }),
  }),
  tool({
    name: 'explain_parcel',
    title: 'Explain the state of a parcel',
    description:
      'Why a parcel is where it is in the service: why this carrier, when it was and will be checked, what the carrier answered last, what delays it. Use it when a parcel has no news, the wrong carrier or an unexpected status. Free: no carrier is asked.',
    hints: READS,
    contract: explainTracking,
    inputSchema: { type: 'object', properties: namedParcel },
    toInput: async ({ id, tracking_number: trackingNumber, courier_code: courierCode }, idOf) => ({
      id: await idOf({ id, trackingNumber, courierCode }),
    }),
    present: ({ scan_times, ...explanation }) => ({ ...explanation, scan_times: scan_times.slice(-MAX_EVENTS) }),
  }),
  tool({
    name: 'detect_carrier',
    title: 'Detect the carrier of a number',
    description:
      'Names the carriers that a tracking number may belong to, best first, from its form and the countries that you give. Use it to check a number before it is registered, or when a parcel was not found. Free: nothing is registered, and no carrier is asked.',
    hints: READS,
    contract: detectCarrier,
    insteadOf: [listCouriers],
    inputSchema: {
      type: 'object',
      required: ['tracking_number'],
      properties: {
        tracking_number: numberProperty,
        destination_country: parcelFields.destination_country,
        phone: parcelFields.phone,
      },
    },
    toInput: (given) => given,
    present: ({ candidates, ...rest }) => ({
      ...rest,
      candidates: candidates.map(({ courier_code, courier_name, confidence, trackable, tracking_required_fields }) => ({
        courier_code,
        courier_name,
        confidence,
        trackable,
        tracking_required_fields,
      })),
    }),
  }),
  tool({
    name: 'register_parcels',
    title: 'Register parcels',
    description: `Registers up to ${MAX_NUMBERS} tracking numbers, whose carriers are then asked in the background. Use it when the user wants parcels to be followed. COSTS one unit of the monthly quota for each number that is new; numbers that are registered already cost nothing, and so do refused ones. Ask the user before you register many, or use dry_run first: it says what a call would cost and changes nothing. Read the result with get_parcels after about 15 seconds.`,
    hints: { ...WRITES, openWorldHint: true },
    contract: createTrackings,
    insteadOf: [createTracking],
    inputSchema: {
      type: 'object',
      required: ['parcels'],
      properties: {
        parcels: {
          type: 'array',
          minItems: 1,
          maxItems: MAX_NUMBERS,
          description: 'The parcels.',
          items: {
            type: 'object',
            required: ['tracking_number'],
            properties: {
              tracking_number: { type: 'string', description: 'The tracking number, as printed.' },
              ...parcelFields,
            },
          },
        },
        dry_run: dryRun,
      },
    },
    toInput: ({ parcels, dry_run }) => (dry_run ? { trackings: parcels, dry_run } : parcels),
  }),
  tool({
    name: 'retrack_parcel',
    title: 'Ask the carrier again',
    description:
      'Asks the carrier of a parcel now, and resumes tracking that has stopped. At most once an hour for each parcel (error 4113). Parcels are checked regularly by themselves: use it only if the user wants fresh news, or tracking has stopped. Free. Read the result with get_parcels after about 15 seconds.',
    hints: { ...WRITES, idempotentHint: false, openWorldHint: true },
    contract: retrackByNumber,
    insteadOf: [retrackTracking],
    inputSchema: { type: 'object', properties: namedParcel },
    toInput: (given) => given,
  }),
  tool({
    name: 'get_quota',
    title: 'Read the quota',
    description:
      'The plan, and the units of quota that are used and left this month. Look here before you register many parcels. Free.',
    hints: READS,
    contract: getAccount,
    inputSchema: { type: 'object', properties: {} },
    toInput: (given) => given,
  }),
  tool({
    name: 'list_notices',
    title: 'List notices about the account',
    description:
      'What happened to the account itself, newest first: webhooks that fail, were disabled or work again, quota, keys that expire, imports and bulk actions that ended, providers that are out. Use it to learn what has changed for the account since a time. Free.',
    hints: READS,
    contract: listNotices,
    inputSchema: { type: 'object', properties: { before: noticesQuery.properties.before } },
    toInput: (given) => ({ ...given, limit: String(DEFAULT_ROWS) }),
  }),
  tool({
    name: 'webhook_health',
    title: 'Health of the webhooks',
    description:
      'The webhooks of the account: whether each is healthy, failing or disabled, since when and why, and how many deliveries are pending. Use it when pushes do not arrive; then list_deliveries with failed. Free.',
    hints: READS,
    contract: listWebhooks,
    inputSchema: { type: 'object', properties: {} },
    toInput: (given) => given,
  }),
  tool({
    name: 'list_deliveries',
    title: 'List attempts to deliver',
    description:
      'The last 50 attempts to push events to webhooks, newest first, each with the status of the receiver and the error. Use it to see whether and when the events of a parcel were pushed, and why pushes fail; get_delivery has all of one attempt. Free.',
    hints: READS,
    contract: listDeliveries,
    inputSchema: {
      type: 'object',
      properties: {
        webhook_id,
        event,
        message_id,
        tracking_id,
        before,
        failed: { type: 'boolean', description: 'Only failed attempts.' },
      },
    },
    toInput: ({ failed, ...filter }) => ({ ...filter, ...(failed ? { failed: 'true' as const } : {}) }),
  }),
  tool({
    name: 'get_delivery',
    title: 'Read an attempt in full',
    description:
      'One attempt in full: what was sent with which headers, what the receiver answered, and how long each step took. Use it to find out why a receiver refuses pushes. Free.',
    hints: READS,
    contract: explainDelivery,
    inputSchema: { type: 'object', required: ['id'], properties: { id: deliveryId } },
    toInput: (given) => given,
  }),
  tool({
    name: 'redeliver',
    title: 'Send a message again',
    description:
      'Sends the message of an attempt to its webhook again, with the same X-Webhook-Id: the receiver must expect it twice. Use it after the receiver was fixed; ask the user first. Free.',
    hints: { ...WRITES, idempotentHint: false, openWorldHint: true },
    contract: redeliver,
    inputSchema: { type: 'object', required: ['id'], properties: { id: deliveryId } },
    toInput: (given) => given,
  }),
];
