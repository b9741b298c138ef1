import type { PendingEndpoint } from '@pts/core/webhook/endpoint';

/** Parcels whose checks are due, and the accounts that have them. */
export type ParcelsJob = { ids: string[]; accounts: string[] };
/** Deliveries of an endpoint are pending; Postgres has the list. */
export type DeliverJob = PendingEndpoint;

/** The kinds of runs in the background. */
export type RunKind = 'import' | 'bulk-action';
/** An import or a bulk action that is due; Postgres has what it does, and its place. */
export type RunJob = { kind: RunKind; id: string; accountId: string };

export type JobPayloads = {
  query: ParcelsJob;
  retrack: ParcelsJob;
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

/** Every job and its payload. Losing one is safe: the work is due in PostgreSQL, and a sweep finds it. */
export const JOBS = {
  query: { schema: parcels },
  retrack: { schema: parcels },
  run: {
    schema: {
      type: 'object',
      required: ['kind', 'id', 'accountId'],
      properties: { kind: { type: 'string', enum: ['import', 'bulk-action'] }, id: text, accountId: text },
    },
  },
  deliver: {
    schema: {
      type: 'object',
      required: ['webhookId', 'accountId', 'isFailing'],
      properties: { webhookId: text, accountId: text, isFailing: { type: 'boolean' } },
    },
  },
} as const satisfies Record<JobName, { schema: object }>;

/** The options every job is added with: received jobs leave nothing behind, so that a repeated wake-up counts again. */
export const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const;

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

/** At most one wake-up of an endpoint waits: more would find nothing left to do. */
export function oncePerEndpoint({ webhookId }: DeliverJob) {
  return { deduplication: { id: webhookId } } as const;
}
