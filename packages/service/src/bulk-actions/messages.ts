import type { bulkRedeliverRequest } from '@pts/contract/bulk-actions';
import type { Infer } from '@pts/contract/infer';
import { type LastRecordFilter, newestRecord, walkLastRecords } from '@pts/db/deliveries/last-records';
import type { ServiceContext } from '../context.ts';
import { momentOf } from '../shipments.ts';
import type { BulkScope, Target } from './action.ts';

type Query = NonNullable<Infer<typeof bulkRedeliverRequest>['filter']>;

/** Messages that are acted upon together. */
const BATCH = 100;
/** Records that are read for a batch, and to count. */
const DEPTH = { batch: 1000, count: 5000 } as const;

/** The messages that a filter matches by the last record of each, newest first. Later records are not looked at. */
export const messages: Target = {
  async count({ db }, scope) {
    const filter = filterOf(scope);
    const { ids, next } = await walkLastRecords(db, filter, { before: upTo(filter.ceiling), depth: DEPTH.count });
    return { total: ids.length, isLowerBound: next !== null };
  },
  async next({ db }, scope, after) {
    const filter = filterOf(scope);
    const before = after === null ? upTo(filter.ceiling) : after;
    const { ids, next } = await walkLastRecords(db, filter, { before, depth: DEPTH.batch });
    const batch = scope.dryRun ? ids : ids.slice(0, BATCH);
    const end = ids.length > batch.length ? (batch.at(-1) ?? null) : next;
    return { ids: batch, changed: [], next: end };
  },
};

/** Before it are this id and all lower ones. */
const upTo = (id: string) => `${id}0`;

/** The newest record now: later ones do not belong to a redelivery that is requested now. */
export function ceilingNow({ db }: Pick<ServiceContext, 'db'>): Promise<string> {
  return newestRecord(db);
}

function filterOf({ accountId, filter, ceiling }: BulkScope): LastRecordFilter {
  // It was checked when it was asked for.
  const { webhook_id, event, message_id, tracking_id, failed, status_code, outcome, since, until } = filter as Query;
  return {
    accountId,
    webhookId: webhook_id,
    event,
    messageId: message_id,
    trackingId: tracking_id,
    failed: failed === undefined ? undefined : failed === 'true',
    statusCode: status_code === undefined ? undefined : Number(status_code),
    outcome,
    since: momentOf(since),
    until: momentOf(until),
    ceiling: ceiling ?? '',
  };
}
