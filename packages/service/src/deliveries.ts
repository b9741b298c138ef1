import { refusedField, ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { type ReplayRange, replayRange } from '@pts/core/webhook/endpoint';
import {
  beginRound,
  countReplay as count,
  endReplay,
  findRedelivery,
  findReplay,
  type Redelivery,
  type Replay,
  startReplay as store,
} from '@pts/db/deliveries/send-again';
import { findWebhook, type Webhook } from '@pts/db/webhooks';
import type { ServiceContext } from './context.ts';
import { noSuchWebhook, webhookDisabled } from './webhooks.ts';

type Key = { accountId: string; recordId: string };

/**
 * The outcome of a redelivery. `pending`: it is due already; `sent_again`: another round has begun since the record.
 * All others are refusals.
 */
type RedeliveryOutcome = 'begun' | 'pending' | 'sent_again' | Refused;
type Refused = 'ping' | 'webhook_deleted' | 'expired' | 'webhook_disabled' | 'too_often';

/**
 * Sends the message of a delivery record to its endpoint again: a new round of the retry schedule, due now. The
 * dispatcher is woken. A message that is due already is returned unchanged.
 * @throws ServiceError `not_found` if the record, the webhook or the message is gone; `invalid_field` if it is a ping,
 *   its webhook is disabled, or it has been sent again too often.
 */
export async function redeliver(
  ctx: Pick<ServiceContext, 'db' | 'producer' | 'retentionDays' | 'now'>,
  key: Key,
): Promise<Redelivery> {
  const result = await beginRedelivery(ctx, { ...key, isOnce: false });
  if (!result) throw noSuchRecord();
  const { outcome, found } = result;
  if (outcome === 'begun' || outcome === 'pending' || outcome === 'sent_again') return found;
  throw refusalOf(outcome, ctx.retentionDays);
}

/**
 * Does what `redeliver` does, but returns the outcome as a value.
 * @param key.isOnce only if no other round has begun since the record.
 * @returns null if the account has no such record.
 */
export async function beginRedelivery(
  { db, producer, now }: Pick<ServiceContext, 'db' | 'producer' | 'now'>,
  key: Key & { isOnce: boolean },
): Promise<{ outcome: RedeliveryOutcome; found: Redelivery } | null> {
  const isNew = await beginRound(db, { ...key, now: now() });
  const found = await findRedelivery(db, key.accountId, key.recordId);
  if (!found) return null;
  const { webhookId, isFailing } = found;
  if (isNew) await producer.deliver([{ webhookId, accountId: key.accountId, isFailing }]);
  return { outcome: isNew ? 'begun' : whyNot(found, key.isOnce), found };
}

function whyNot({ isOfEvent, hasWebhook, isKept, isEnabled, state, round, recordRound }: Redelivery, isOnce: boolean) {
  if (!isOfEvent) return 'ping';
  if (!hasWebhook) return 'webhook_deleted';
  if (!isKept) return 'expired';
  if (isOnce && round > recordRound) return 'sent_again';
  if (!isEnabled) return 'webhook_disabled';
  return state === 'owed' ? 'pending' : 'too_often';
}

function refusalOf(outcome: Refused, retentionDays: number): ServiceError {
  switch (outcome) {
    case 'ping':
      return refusedField('id', message('field.ping'));
    case 'webhook_deleted':
      return new ServiceError('not_found', { text: message('webhook_of_delivery_deleted') });
    case 'expired':
      return new ServiceError('not_found', { text: message('message_expired', { days: retentionDays }) });
    case 'webhook_disabled':
      return webhookDisabled();
    case 'too_often':
      return refusedField('id', message('field.too_often'));
    default:
      return outcome satisfies never;
  }
}

type Context = Pick<ServiceContext, 'db' | 'retentionDays' | 'now'>;

/** The times are RFC 3339; `until` defaults to now. */
type WantedReplay = { accountId: string; webhookId: string; since: string; until?: string | undefined };

/**
 * Starts to send all events of a time range to an endpoint again; the dispatcher's sweep continues it after live
 * events.
 * @throws ServiceError `not_found`, or `invalid_field`: the range is refused, the webhook is disabled, or another
 *   replay of it is running.
 */
export async function startReplay(ctx: Context, wanted: WantedReplay): Promise<Replay> {
  const { accountId, webhookId } = wanted;
  const now = ctx.now();
  const { webhook, range } = await planOf(ctx, wanted, now);
  const { events, filter } = webhook;
  const started = await store(ctx.db, { webhookId, accountId, events, filter, ...range, now });
  if (started) return started;
  const isKnown = await findWebhook(ctx.db, accountId, webhookId);
  throw isKnown ? refusedField('id', message('field.replay_running')) : noSuchWebhook();
}

/**
 * Counts what a replay would send, and starts none.
 * @returns `total` null: too many to count.
 * @throws ServiceError as `startReplay`, but for a replay that is running.
 */
export async function countReplay(ctx: Context, wanted: WantedReplay): Promise<ReplayRange & { total: number | null }> {
  const { webhook, range } = await planOf(ctx, wanted, ctx.now());
  const { id: webhookId, accountId, events, filter } = webhook;
  return { ...range, total: await count(ctx.db, { webhookId, accountId, events, filter, ...range }) };
}

async function planOf(
  { db, retentionDays }: Context,
  wanted: WantedReplay,
  now: Date,
): Promise<{ webhook: Webhook; range: ReplayRange }> {
  const range = replayRange(wanted, { now, retentionDays });
  if ('field' in range) throw refusedField(range.field, range.message);
  const webhook = await findWebhook(db, wanted.accountId, wanted.webhookId);
  if (!webhook) throw noSuchWebhook();
  if (!webhook.enabled) throw webhookDisabled();
  return { webhook, range };
}

/**
 * Stops a replay; messages that are already queued are still sent. A replay that has ended is returned unchanged.
 * @throws ServiceError `not_found`.
 */
export async function cancelReplay(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  key: { accountId: string; webhookId: string; id: string },
): Promise<Replay> {
  await endReplay(db, key, now());
  const replay = await findReplay(db, key);
  if (replay) return replay;
  throw new ServiceError('not_found', { text: message('no_such_replay') });
}

/** The account has no delivery record of this id. */
export function noSuchRecord(): ServiceError {
  return new ServiceError('not_found', { text: message('no_such_record') });
}
