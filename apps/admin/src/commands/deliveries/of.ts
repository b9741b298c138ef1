import { columns } from '@pts/core/text/align-columns';
import { toUtcSeconds } from '@pts/core/time';
import { normaliseNumber } from '@pts/core/tracking/number';
import { nextAttemptAt } from '@pts/core/webhook/backoff';
import type { Db } from '@pts/db/connection/client';
import { endpointsAtWork } from '@pts/db/deliveries/attempts';
import {
  type AttemptRow,
  type EventDelivery,
  listAttempts,
  messagesOfTracking,
  type TrackingMessage,
} from '@pts/db/deliveries/log';
import { locateTrackings } from '@pts/db/trackings/locate';
import { webhooksOfAnyone } from '@pts/db/webhooks';
import { DELIVER_QUEUE } from '@pts/queue/catalog';
import { readDepths } from '@pts/queue/operate';
import type { Context } from '../../command-line/command.ts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { Problem } from '../../command-line/problem.ts';
import { withQueue } from '../../command-line/queue-command.ts';
import { stateOf, viewWebhooks, type WebhookView } from '../../records/webhooks.ts';

/** A number may be registered by many accounts. */
const MAX_PARCELS = 20;
/** The newest attempts of a parcel. */
const MAX_ATTEMPTS_SHOWN = 1000;
/** A pause that is longer than the schedule's by more than this was requested by the receiver. */
const SLACK_MS = 5000;

export const deliveriesOf = databaseCommand({
  name: 'deliveries of',
  audited: 'unseen',
  personal: ['parcel'],
  takes: ['parcel'],
  options: {},
  about:
    'Show why pushes of a parcel (its id or number) were late: for each webhook every message, when it was stored, each attempt with its result, and what holds it back.',
  async run({ db, now }, { parcel }, context) {
    const located = await locateTrackings(db, { id: parcel, number: normaliseNumber(parcel), limit: MAX_PARCELS });
    if (located.length === 0) throw new Problem(`No tracking has the id or the number ${parcel}.`);
    const at: Now = { queue: await stateOfQueue(context), atWork: await endpointsAtWork(db), now: now() };
    const parcels: ParcelView[] = [];
    for (const each of located) parcels.push(await viewParcel(db, each, at));
    return {
      lines: parcels.flatMap((view, n) => [...(n === 0 ? [] : ['']), ...linesOf(view)]),
      json: { queue: at.queue, parcels },
      accountIds: [...new Set(located.map(({ accountId }) => accountId))],
    };
  },
});

type QueueState = 'running' | 'paused' | 'unreachable';

async function stateOfQueue(context: Context): Promise<QueueState> {
  try {
    const [depth] = await withQueue(context, (queue) => readDepths(queue, [DELIVER_QUEUE]));
    return depth?.isPaused ? 'paused' : 'running';
  } catch (error) {
    if (error instanceof Problem) return 'unreachable';
    throw error;
  }
}

/** The queue, and the webhooks that a dispatcher serves. */
type Now = { queue: QueueState; atWork: readonly string[]; now: Date };

type ParcelView = Awaited<ReturnType<typeof viewParcel>>;

async function viewParcel(db: Db, { id, accountId }: { id: string; accountId: string }, at: Now) {
  const messages = await messagesOfTracking(db, { accountId, id });
  const { rows: attempts } = await listAttempts(db, { accountId, trackingId: id, limit: MAX_ATTEMPTS_SHOWN });
  const ids = [...new Set(messages.flatMap(({ deliveries }) => deliveries.map(({ webhookId }) => webhookId)))];
  const webhooks = await viewWebhooks(db, await webhooksOfAnyone(db, ids), at.now);
  return {
    id,
    account_id: accountId,
    webhooks: ids.map((webhookId) => {
      const webhook = webhooks.find((each) => each.id === webhookId);
      return {
        id: webhookId,
        url: webhook?.url ?? null,
        state: webhook ? stateOf(webhook) : 'removed',
        pending: webhook?.pending ?? 0,
        messages: messages.flatMap((message) => {
          const delivery = message.deliveries.find((each) => each.webhookId === webhookId);
          const isOwn = (row: AttemptRow) => row.messageId === message.id && row.webhookId === webhookId;
          const holds = delivery && heldBackBy(delivery, { webhook, ...at });
          return delivery ? [viewMessage(message, delivery, holds ?? null, attempts.filter(isOwn))] : [];
        }),
      };
    }),
    not_pushed: messages.filter(({ deliveries }) => deliveries.length === 0).map(viewStored),
  };
}

function viewStored({ id, event, seq, createdAt }: Pick<TrackingMessage, 'id' | 'event' | 'seq' | 'createdAt'>) {
  return { message_id: id, event, seq, stored_at: toUtcSeconds(createdAt) };
}

type Hold = {
  kind: 'webhook_removed' | 'webhook_disabled' | 'retry_after' | 'backing_off' | 'queue_paused' | 'in_line' | 'lease';
  until: string | null;
  message: string;
};

/** What a pending delivery waits for. Null: it is not pending. */
function heldBackBy(
  { webhookId, state, attempts, nextAttemptAt: next }: EventDelivery,
  { webhook, atWork, queue, now }: Now & { webhook: WebhookView | undefined },
): Hold | null {
  if (state !== 'owed') return null;
  const hold = (kind: Hold['kind'], message: string, until: string | null = null): Hold => ({ kind, until, message });
  if (!webhook) return hold('webhook_removed', 'its webhook was removed: it will be dropped');
  if (!webhook.enabled) return hold('webhook_disabled', `its webhook is ${stateOf(webhook)}`);
  if (webhook.retry_after !== null)
    return hold('retry_after', 'the receiver asked for a pause (Retry-After)', webhook.retry_after);
  const dueAt = next === null ? now : new Date(next);
  if (dueAt > now) return hold('backing_off', `it is backing off after attempt ${attempts}`, toUtcSeconds(dueAt));
  if (queue === 'paused')
    return hold('queue_paused', `the queue is paused: \`queues resume ${DELIVER_QUEUE}\` ends that`);
  if (atWork.includes(webhookId))
    return hold('in_line', `a dispatcher is sending to the webhook, ${webhook.pending} are pending`);
  const slow = queue === 'unreachable' ? ': the queue cannot be reached, so that only sweeps start work' : '';
  return hold('lease', `no dispatcher has a lease for the webhook${slow}`);
}

function viewMessage(
  message: TrackingMessage,
  { state, nextAttemptAt: next, createdAt }: EventDelivery,
  holds: Hold | null,
  newestFirst: readonly AttemptRow[],
) {
  const attempts = newestFirst.toReversed();
  return {
    ...viewStored(message),
    state,
    next_attempt_at: next && toUtcSeconds(new Date(next)),
    held_back_by: holds,
    attempts: attempts.map((row, n) => viewAttempt(row, dueAtOf(row, attempts[n - 1], new Date(createdAt)))),
  };
}

/**
 * Of the first attempt when it was stored, of a later one when the one before said. Null: somebody had it sent again.
 */
function dueAtOf({ attempt, round }: AttemptRow, before: AttemptRow | undefined, storedAt: Date): Date | null {
  if (attempt === 1) return round === 0 ? storedAt : null;
  return before?.round === round && before.attempt === attempt - 1 ? before.nextAttemptAt : null;
}

function viewAttempt(row: AttemptRow, dueAt: Date | null) {
  const { attempt, round, startedAt, durationMs, statusCode, error, nextAttemptAt: next } = row;
  const onSchedule = nextAttemptAt(attempt, new Date(startedAt.getTime() + durationMs));
  const isLonger = next !== null && onSchedule !== null && next.getTime() > onSchedule.getTime() + SLACK_MS;
  return {
    attempt,
    round,
    due_at: dueAt && toUtcSeconds(dueAt),
    at: toUtcSeconds(startedAt),
    late_seconds: dueAt && Math.max(0, startedAt.getTime() - dueAt.getTime()) / 1000,
    duration_ms: durationMs,
    status_code: statusCode,
    error,
    next_attempt_at: next && toUtcSeconds(next),
    held_back_by: next && (isLonger ? ('retry_after' as const) : ('backing_off' as const)),
  };
}

const IN_WORDS = { retry_after: 'the receiver asked for it (Retry-After)', backing_off: 'backing off' } as const;

function linesOf({ id, account_id, webhooks, not_pushed: nowhere }: ParcelView): string[] {
  return [
    `Parcel ${id} of account ${account_id}`,
    ...webhooks.flatMap(({ id: webhookId, url, state, messages }) => [
      '',
      `Webhook ${webhookId}, ${url ?? 'removed'}: ${state}`,
      ...messages.flatMap((message) => [
        `  ${message.event} ${message.message_id}, stored ${message.stored_at}: ${message.state}${holdOf(message)}`,
        ...attemptLines(message).map((line) => `    ${line}`),
      ]),
    ]),
    ...nowhere.map(({ event, stored_at }) => `No webhook had subscribed to ${event}, stored ${stored_at}.`),
    ...(webhooks.length + nowhere.length === 0 ? ['No event was emitted, or all have expired.'] : []),
  ];
}

type MessageView = ParcelView['webhooks'][number]['messages'][number];

function holdOf({ held_back_by: hold }: MessageView): string {
  return hold ? `; held back: ${hold.message}${hold.until === null ? '' : ` until ${hold.until}`}` : '';
}

function attemptLines({ attempts }: MessageView): string[] {
  if (attempts.length === 0) return [];
  return columns([
    ['ATTEMPT', 'DUE', 'SENT', 'LATE', 'TOOK', 'RESULT', 'NEXT'],
    ...attempts.map((each) => [
      each.round === 0 ? String(each.attempt) : `${each.attempt} (round ${each.round})`,
      each.due_at ?? '-',
      each.at,
      each.late_seconds === null ? '-' : `${each.late_seconds} s`,
      `${each.duration_ms} ms`,
      each.error === null ? String(each.status_code) : `${each.status_code} ${each.error}`,
      each.next_attempt_at && each.held_back_by ? `${each.next_attempt_at}, ${IN_WORDS[each.held_back_by]}` : '-',
    ]),
  ]);
}
