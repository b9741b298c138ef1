import { CommandError, UsageError } from '@pts/client/cli/kit';
import { readMessage } from '@pts/core/languages/message';
import { columns, counted } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import { nextAttemptAt } from '@pts/core/webhook/retry';
import type { Db } from '@pts/db/connection';
import { endpointsAtWork } from '@pts/db/deliveries/attempts';
import {
  type AttemptRow,
  type EventDelivery,
  listAttempts,
  messagesOfTracking,
  type TrackingMessage,
} from '@pts/db/deliveries/log';
import { type PendingFor, pendingEndpoints } from '@pts/db/deliveries/pending';
import { countWaiting, requeue } from '@pts/db/deliveries/send-again';
import { locateTrackings } from '@pts/db/trackings/records';
import { releaseEndpoint, type Webhook, webhooksOfAnyone } from '@pts/db/webhooks';
import { DELIVER_QUEUE } from '@pts/queue/catalog';
import { readDepths } from '@pts/queue/operate';
import { createProducer } from '@pts/queue/wake';
import { getAccount } from '@pts/service/accounts';
import { type Command, type Context, table } from '../command.ts';
import { databaseCommand, withQueue } from '../installation.ts';
import { readNumber } from '../values.ts';
import { pendingInWords, stateOf, viewWebhooks, type WebhookView } from './webhooks.ts';

/** A number may be registered by many accounts. */
const MAX_PARCELS = 20;
/** The newest attempts of a parcel. */
const MAX_ATTEMPTS_SHOWN = 1000;
/** A pause that is longer than the schedule's by more than this was requested by the receiver. */
const SLACK_MS = 5000;

const deliveriesOf = databaseCommand({
  name: 'deliveries of',
  audited: 'unseen',
  personal: ['parcel'],
  takes: ['parcel'],
  options: {},
  about:
    'Show why pushes of a parcel (its id or number) were late, with every message, attempt and result for each webhook.',
  async run({ db, now }, { parcel }, context) {
    const located = await locateTrackings(db, { id: parcel, number: normaliseNumber(parcel), limit: MAX_PARCELS });
    if (located.length === 0) throw new CommandError(`No tracking has the id or number ${parcel}.`);
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
    if (error instanceof CommandError) return 'unreachable';
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

/** The reason why a pending delivery waits; null if it is not pending. */
function heldBackBy(
  { webhookId, state, attempts, nextAttemptAt: next }: EventDelivery,
  { webhook, atWork, queue, now }: Now & { webhook: WebhookView | undefined },
): Hold | null {
  if (state !== 'owed') return null;
  const hold = (kind: Hold['kind'], message: string, until: string | null = null): Hold => ({ kind, until, message });
  if (!webhook) return hold('webhook_removed', 'its webhook was deleted, so it will be dropped');
  if (!webhook.enabled) return hold('webhook_disabled', `its webhook is ${stateOf(webhook)}`);
  if (webhook.retry_after !== null)
    return hold('retry_after', 'the receiver asked for a pause (Retry-After)', webhook.retry_after);
  const dueAt = next === null ? now : new Date(next);
  if (dueAt > now) return hold('backing_off', `it waits for the retry after attempt ${attempts}`, toUtcSeconds(dueAt));
  if (queue === 'paused')
    return hold('queue_paused', `the queue is paused (\`queues resume ${DELIVER_QUEUE}\` resumes it)`);
  if (atWork.includes(webhookId))
    return hold('in_line', `a dispatcher is sending to the webhook, with ${webhook.pending} pending`);
  const slow = queue === 'unreachable' ? '; the queue cannot be reached, so only sweeps start work' : '';
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
 * The time at which an attempt was due: the first when the delivery was stored, a later one when the one before said.
 * Null: somebody had it sent again.
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
    error: error && `${readMessage(error)}`,
    next_attempt_at: next && toUtcSeconds(next),
    held_back_by: next && (isLonger ? ('retry_after' as const) : ('backing_off' as const)),
  };
}

const IN_WORDS = { retry_after: 'the receiver asked for it (Retry-After)', backing_off: 'regular retry' } as const;

function linesOf({ id, account_id, webhooks, not_pushed: nowhere }: ParcelView): string[] {
  return [
    `Parcel ${id} of account ${account_id}`,
    ...webhooks.flatMap(({ id: webhookId, url, state, messages }) => [
      '',
      `Webhook ${webhookId}, ${url ?? 'removed'}: ${state}`,
      ...messages.flatMap((message) => [
        `  ${message.event} ${message.message_id}, stored ${message.stored_at}: ${message.state === 'owed' ? 'pending' : message.state}${holdOf(message)}`,
        ...attemptLines(message).map((line) => `    ${line}`),
      ]),
    ]),
    ...nowhere.map(({ event, stored_at }) => `No webhook had subscribed to ${event}, stored ${stored_at}.`),
    ...(webhooks.length + nowhere.length === 0 ? ['There are no events, or they have all expired.'] : []),
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

const deliveriesPending = databaseCommand({
  name: 'deliveries pending',
  takes: [],
  options: { account: { value: 'ID', about: 'only webhooks of this account' } },
  about: 'List the webhooks with pending deliveries, longest overdue first.',
  async run({ db, now }, { account: accountId }) {
    if (accountId !== undefined) await getAccount(db, accountId);
    const pending = await readPending(db, { now: now(), accountId });
    return {
      lines: pendingTable(pending, 'No deliveries are pending.'),
      json: { webhooks: pending },
    };
  },
});

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 2_147_483_647;

const deliveriesStuck = databaseCommand({
  name: 'deliveries stuck',
  takes: [],
  options: {
    seconds: { value: 'N', about: `only deliveries overdue by at least this long (default: ${DEFAULT_SECONDS})` },
  },
  about:
    'List the webhooks with overdue deliveries. Fails if one of them is healthy, because then no dispatcher is serving it.',
  async run({ db, now }, { seconds }) {
    const min = readNumber('seconds', seconds, DEFAULT_SECONDS, { min: 0, max: MAX_SECONDS });
    const stuck = (await readPending(db, { now: now() })).filter(({ overdue_seconds }) => overdue_seconds >= min);
    return {
      lines: pendingTable(stuck, `No delivery is overdue by ${min} s.`),
      json: { webhooks: stuck },
      failed: stuck.some(({ is_healthy }) => is_healthy),
    };
  },
});

const deliveriesRequeue = databaseCommand({
  name: 'deliveries requeue',
  audited: 'after',
  takes: [],
  options: {
    webhook: { value: 'ID', about: 'deliveries of this webhook' },
    account: { value: 'ID', about: 'deliveries of all enabled webhooks of this account' },
    'dry-run': { about: 'count the deliveries only' },
  },
  about:
    'Make pending deliveries due now, regardless of the retry schedule and of Retry-After. Use it when a receiver works again.',
  async run({ db, now }, { webhook: webhookId, account: accountId, 'dry-run': isDryRun }, context) {
    if ((webhookId === undefined) === (accountId === undefined))
      throw new UsageError('Add either --webhook ID or --account ID.');
    if (accountId !== undefined) await getAccount(db, accountId);
    const endpoints = await openEndpoints(db, { accountId, webhookId });
    if (endpoints.length === 0 && webhookId !== undefined)
      throw new CommandError(
        `There is no enabled webhook ${webhookId}. To enable a disabled one, run \`webhooks enable\`.`,
      );
    const at = now();
    const webhooks = [];
    for (const { id, accountId, failingSince } of endpoints) {
      const key = { webhookId: id, accountId };
      if (!isDryRun) await releaseEndpoint(db, key);
      const deliveries = isDryRun ? await countWaiting(db, key, at) : await requeue(db, key, at);
      webhooks.push({ ...key, deliveries, isFailing: failingSince !== null });
    }
    const isWoken = !isDryRun && (await wake(context, webhooks));
    const total = webhooks.reduce((sum, { deliveries }) => sum + deliveries, 0);
    const woken = isWoken ? 'The dispatchers were notified.' : 'The sweeps find them within seconds.';
    return {
      lines: isDryRun
        ? [
            `${counted(total, 'delivery', 'deliveries')} of ${counted(webhooks.length, 'webhook')} ${total === 1 ? 'waits' : 'wait'} for a later attempt.`,
          ]
        : [
            `${counted(total, 'delivery', 'deliveries')} of ${counted(webhooks.length, 'webhook')} ${total === 1 ? 'is' : 'are'} due now. ${woken}`,
          ],
      json: {
        webhooks: webhooks.map(({ webhookId, deliveries }) => ({ webhook_id: webhookId, deliveries })),
        woken: isWoken,
        dry_run: isDryRun,
      },
      accountIds: [...new Set(endpoints.map((endpoint) => endpoint.accountId))],
    };
  },
});

/** Only a wake-up: without the queue, the sweeps do it. @returns whether it was added */
async function wake(context: Parameters<typeof withQueue>[0], endpoints: readonly PendingEndpoint[]): Promise<boolean> {
  try {
    return await withQueue(context, async (queue) => {
      const producer = createProducer(queue, () => {});
      const isAdded = await producer.deliver(
        endpoints.map(({ webhookId, accountId, isFailing }) => ({ webhookId, accountId, isFailing })),
      );
      await producer.close();
      return isAdded;
    });
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** Endpoints with pending deliveries as JSON, the longest due first; of one account, if given. */
async function readPending(db: Db, { now, accountId }: { now: Date; accountId?: string | undefined }) {
  const pending = [...(await pendingEndpoints(db))].sort((one, other) => Number(one.dueAt) - Number(other.dueAt));
  const webhooks = await webhooksOfAnyone(
    db,
    pending.map(({ webhookId }) => webhookId),
  );
  const own = webhooks.filter((webhook) => accountId === undefined || webhook.accountId === accountId);
  const views = new Map((await viewWebhooks(db, own, now)).map((view) => [view.id, view]));
  return pending.flatMap((each) => {
    const view = views.get(each.webhookId);
    return view ? [{ ...dueOf(each, now), ...view, state: stateOf(view) }] : [];
  });
}

function dueOf({ dueAt, failingSince, isClosed }: PendingFor, now: Date) {
  const overdueSeconds = Math.max(0, Math.round((now.getTime() - dueAt.getTime()) / 1000));
  return {
    due_at: toUtcSeconds(dueAt),
    overdue_seconds: overdueSeconds,
    is_healthy: failingSince === null && !isClosed,
  };
}

type PendingView = Awaited<ReturnType<typeof readPending>>[number];

/** The webhooks with pending deliveries as a table. */
function pendingTable(pending: readonly PendingView[], none: string): string[] {
  const rows = pending.map((each) => [
    each.id,
    each.account_id,
    pendingInWords(each.pending),
    each.overdue_seconds > 0 ? `${each.due_at} (${each.overdue_seconds} s ago)` : each.due_at,
    each.state,
    each.url,
  ]);
  return table(['WEBHOOK', 'ACCOUNT', 'PENDING', 'OLDEST DUE', 'STATE', 'URL'], rows, none);
}

/** The enabled endpoints with pending deliveries, of an account or with an id. */
async function openEndpoints(
  db: Db,
  { accountId, webhookId }: { accountId?: string | undefined; webhookId?: string | undefined },
): Promise<Webhook[]> {
  const ids = webhookId === undefined ? (await pendingEndpoints(db)).map((each) => each.webhookId) : [webhookId];
  const webhooks = await webhooksOfAnyone(db, ids);
  return webhooks.filter((webhook) => webhook.enabled && (accountId === undefined || webhook.accountId === accountId));
}

/** In the order of the help text. */
export const deliveries: readonly Command[] = [deliveriesOf, deliveriesPending, deliveriesStuck, deliveriesRequeue];
