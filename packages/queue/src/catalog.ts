import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';

/** Parcels, and the accounts that have them. */
export type ParcelsJob = { ids: string[]; accounts: string[] };
/** Checks to make: either claimed already (by the sweep), or parcels whose checks the poller has to claim first. */
export type QueryJob = { claimed: ClaimedCheck[] } | ParcelsJob;
export type RetrackJob = ParcelsJob;
/** Numbers to subscribe to in one call; the other inputs are in Postgres. */
export type SubscribeJob = { numbers: { carrier: string; trackingNumber: string }[] };
/** Deliveries of an endpoint are pending; Postgres has the list. */
export type DeliverJob = PendingEndpoint;

/** What runs in the background. */
export type RunKind = 'import' | 'bulk-action';
/** An import or a bulk action that is due; Postgres has what it does, and its place. */
export type RunJob = { kind: RunKind; id: string; accountId: string };

export type JobPayloads = {
  query: QueryJob;
  retrack: RetrackJob;
  subscribe: SubscribeJob;
  run: RunJob;
  deliver: DeliverJob;
};
export type JobName = keyof JobPayloads;

const text = { type: 'string' } as const;
/** A `ParcelsJob`. */
const parcels = {
  type: 'object',
  required: ['ids', 'accounts'],
  properties: { ids: { type: 'array', items: text, minItems: 1 }, accounts: { type: 'array', items: text } },
} as const;
/** A `ClaimedCheck`. */
const jobCheck = {
  type: 'object',
  required: ['trackingId', 'accountId', 'trackingNumber', 'carrier', 'fingerprint', 'finalLook', 'hints'],
  properties: {
    trackingId: text,
    accountId: text,
    trackingNumber: text,
    carrier: text,
    fingerprint: { type: 'string', nullable: true },
    finalLook: { type: 'boolean' },
    hints: {
      type: 'object',
      nullable: true,
      properties: { phone: text, postalCode: text, destinationCountry: text },
    },
    failing: {
      type: 'object',
      nullable: true,
      required: ['failure', 'sinceMs'],
      properties: { failure: text, sinceMs: { type: 'number' } },
    },
    pushed: { type: 'boolean', nullable: true },
    dueAtMs: { type: 'number' },
    requestId: { type: 'string', nullable: true },
    traceparent: { type: 'string', nullable: true },
  },
} as const;

/**
 * Every job: its payload, and how often it is retried after an internal error before it is dropped. Dropping is
 * safe: the work is still due in Postgres, and the sweep finds it.
 */
export const JOBS = {
  query: {
    schema: {
      anyOf: [
        parcels,
        {
          type: 'object',
          required: ['claimed'],
          properties: { claimed: { type: 'array', minItems: 1, items: jobCheck } },
        },
      ],
    },
    tries: 3,
  },
  retrack: { schema: parcels, tries: 3 },
  subscribe: {
    schema: {
      type: 'object',
      required: ['numbers'],
      properties: {
        numbers: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['carrier', 'trackingNumber'],
            properties: { carrier: text, trackingNumber: text },
          },
        },
      },
    },
    tries: 3,
  },
  run: {
    schema: {
      type: 'object',
      required: ['kind', 'id', 'accountId'],
      properties: { kind: { type: 'string', enum: ['import', 'bulk-action'] }, id: text, accountId: text },
    },
    tries: 3,
  },
  deliver: {
    schema: {
      type: 'object',
      required: ['webhookId', 'accountId', 'isFailing'],
      properties: { webhookId: text, accountId: text, isFailing: { type: 'boolean' } },
    },
    tries: 5,
  },
} as const satisfies Record<JobName, { schema: object; tries: number }>;

/** The options every job is added with: finished jobs leave nothing behind, so that a repeated wake-up counts again. */
export function jobOptions(name: JobName) {
  return {
    attempts: JOBS[name].tries,
    removeOnComplete: true,
    removeOnFail: true,
  } as const;
}

/** BullMQ's priorities of a queue's jobs: those with a lower number go first, and each kind in its order. */
export const PRIORITIES = { awaited: 0, bulk: 1, regular: 2 } as const;

/**
 * A query for regular checks alone waits behind every other job of its queue: somebody waits for a first answer or a retrack, and a
 * regular check may be some seconds late. Before it are the first answers that an account waits for beyond its share.
 * @param isBulk whether a wake-up is beyond the account's share. What the sweep has found counts as such.
 */
export function queryOptions(job: QueryJob, isBulk = 'claimed' in job) {
  const isRegular = 'claimed' in job && job.claimed.every(({ fingerprint }) => fingerprint !== null);
  const { awaited, bulk, regular } = PRIORITIES;
  return { ...jobOptions('query'), priority: isRegular ? regular : isBulk ? bulk : awaited };
}

/** The queue of a provider's checks: one each, so that a slow carrier delays only itself. */
export function queryQueue(provider: string): string {
  return `query-${provider}`;
}

export const DELIVER_QUEUE = 'deliver';
export const BACKGROUND_QUEUE = 'background';

/** The queues of some providers, and those of the dispatchers and of background work. */
export function queuesOf(providers: readonly string[]): string[] {
  return [...providers.map(queryQueue), DELIVER_QUEUE, BACKGROUND_QUEUE];
}

/** The id of the job that only proves that a queue's work flows (`canary.ts`). */
export const CANARY_ID = 'canary';

/**
 * At most one wake-up of an endpoint runs and one waits: more would find nothing left to do. A wake-up that arrives while
 * another runs is kept until that one has ended: it may be for deliveries that the other has not seen.
 */
export function oncePerEndpoint({ webhookId }: DeliverJob) {
  return { deduplication: { id: webhookId, keepLastIfActive: true } } as const;
}
