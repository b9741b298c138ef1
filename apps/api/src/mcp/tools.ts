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
  id: {
    ...id,
    description: 'The id of the parcel, from get_parcels or search_shipments. Use it instead of the number.',
  },
  tracking_number: numberProperty,
  courier_code: {
    type: 'string',
    maxLength: 40,
    description: 'The carrier, if the number is registered with several carriers.',
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
      'Shows what needs attention now: the account itself (quota, failing webhooks), the number of shipments for each reason, and the newest ten of them. Start here for "is everything all right?". Free.',
    hints: READS,
    contract: getAttention,
    inputSchema: { type: 'object', properties: {} },
    toInput: (given) => given,
  }),
  tool({
    name: 'search_shipments',
    title: 'List and search shipments',
    description: `Lists and searches the shipments of the account, ${DEFAULT_ROWS} per page. Search by number, order id or title, filter by status, carrier, time and reason for attention, and sort. total is the number of matches, up to 10,000. Use it for lists, counts and questions such as "what is late?". Free.`,
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
          description: `Entries per page. Default: ${DEFAULT_ROWS}.`,
        },
      },
    },
    toInput: ({ limit = DEFAULT_ROWS, ...filter }) => ({ ...filter, limit: String(limit), count: 'true' as const }),
  }),
  tool({
    name: 'get_parcels',
    title: 'Read parcels',
    description: `Shows the status and the newest ${MAX_EVENTS} events of up to ${MAX_READ} registered parcels, by their tracking numbers. Use it for questions about specific parcels. For lists and counts, use search_shipments. Free.`,
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
      'Explains the state of a parcel: why it has this carrier, when it was and will be checked, what the carrier last reported, and what delays the next check. Use it when a parcel has no updates, the wrong carrier or an unexpected status. Free: no carrier is contacted.',
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
      'Lists the possible carriers of a tracking number, best first, based on its format and the given countries. Use it to check a number before registering it, or when a parcel was not found. Free: nothing is registered, and no carrier is contacted.',
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
    description: `Registers up to ${MAX_NUMBERS} tracking numbers, whose carriers are then checked in the background. Use it when the user wants to track parcels. COSTS one unit of the monthly quota for each new number. Numbers that are already registered cost nothing, and neither do rejected ones. Before you register many, ask the user, or use dry_run, which shows the cost and changes nothing. Read the result with get_parcels after about 15 seconds.`,
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
    title: 'Check a parcel now',
    description:
      'Checks a parcel with its carrier now, and resumes tracking that has stopped. It works at most once an hour for each parcel (error 4113). Parcels are checked regularly anyway, so use it only if the user wants the latest status or if tracking has stopped. Free. Read the result with get_parcels after about 15 seconds.',
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
      'Shows the plan and the units of quota used and left this month. Use it before you register many parcels. Free.',
    hints: READS,
    contract: getAccount,
    inputSchema: { type: 'object', properties: {} },
    toInput: (given) => given,
  }),
  tool({
    name: 'list_notices',
    title: 'List notices about the account',
    description:
      'Lists what happened to the account itself, newest first: failing, disabled and recovered webhooks, used quota, expiring keys, ended imports and bulk actions, and provider outages. Use it to find out what changed for the account since a given time. Free.',
    hints: READS,
    contract: listNotices,
    inputSchema: { type: 'object', properties: { before: noticesQuery.properties.before } },
    toInput: (given) => ({ ...given, limit: String(DEFAULT_ROWS) }),
  }),
  tool({
    name: 'webhook_health',
    title: 'Read the health of the webhooks',
    description:
      'Shows for each webhook of the account whether it is healthy, failing or disabled, since when and why, and how many deliveries are pending. Use it when pushes do not arrive, then use list_deliveries with failed. Free.',
    hints: READS,
    contract: listWebhooks,
    inputSchema: { type: 'object', properties: {} },
    toInput: (given) => given,
  }),
  tool({
    name: 'list_deliveries',
    title: 'List delivery attempts',
    description:
      'Lists the last 50 attempts to push events to webhooks, newest first, each with the status of the receiver and the error. Use it to see whether and when the events of a parcel were pushed, and why pushes fail. get_delivery shows an attempt in detail. Free.',
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
    title: 'Read a delivery attempt',
    description:
      'Shows a delivery attempt in detail: the request with its headers, the response of the receiver, and how long each step took. Use it to find out why a receiver rejects pushes. Free.',
    hints: READS,
    contract: explainDelivery,
    inputSchema: { type: 'object', required: ['id'], properties: { id: deliveryId } },
    toInput: (given) => given,
  }),
  tool({
    name: 'redeliver',
    title: 'Resend a message',
    description:
      'Resends the message of an attempt to its webhook, with the same X-Webhook-Id, so the receiver may get it twice. Use it after the receiver was fixed, and ask the user first. Free.',
    hints: { ...WRITES, idempotentHint: false, openWorldHint: true },
    contract: redeliver,
    inputSchema: { type: 'object', required: ['id'], properties: { id: deliveryId } },
    toInput: (given) => given,
  }),
];
