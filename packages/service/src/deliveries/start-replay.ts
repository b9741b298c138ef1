import { refusal, refusedField } from '@pts/core/errors';
import { type ReplayRange, replayRange } from '@pts/core/webhook/endpoint';
import { countReplay as count, type Replay, startReplay as store } from '@pts/db/deliveries/replays';
import { findWebhook, type Webhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { noSuchWebhook, webhookDisabled } from '../webhooks/refusals.ts';

const RUNNING =
  'belongs to a webhook that already has a running replay; wait for it to end, or cancel it: DELETE /api/v1/webhooks/{id}/replays/{replay_id}';

type Context = Pick<ServiceContext, 'db' | 'retentionDays' | 'now'>;

/** The times are RFC 3339; `until` defaults to now. */
type WantedReplay = { accountId: string; webhookId: string; since: string; until?: string | undefined };

/**
 * Starts to send all events of a time range to an endpoint again; the dispatcher's sweep continues it after live events.
 * @throws ServiceError `not_found`, or `invalid_field`: the range is refused, the webhook is disabled, or another replay of it
 *   is running.
 */
export async function startReplay(ctx: Context, wanted: WantedReplay): Promise<Replay> {
  const { accountId, webhookId } = wanted;
  const now = ctx.now();
  const { webhook, range } = await planOf(ctx, wanted, now);
  const started = await store(ctx.db, { webhookId, accountId, events: webhook.events, ...range, now });
  if (started) return started;
  throw (await findWebhook(ctx.db, accountId, webhookId)) ? refusedField('id', RUNNING) : noSuchWebhook();
}

/**
 * Counts what a replay would send, and starts none.
 * @returns `total` null: too many to count.
 * @throws ServiceError as `startReplay`, but for a replay that is running.
 */
export async function countReplay(ctx: Context, wanted: WantedReplay): Promise<ReplayRange & { total: number | null }> {
  const { webhook, range } = await planOf(ctx, wanted, ctx.now());
  return { ...range, total: await count(ctx.db, { accountId: wanted.accountId, events: webhook.events, ...range }) };
}

async function planOf(
  { db, retentionDays }: Context,
  wanted: WantedReplay,
  now: Date,
): Promise<{ webhook: Webhook; range: ReplayRange }> {
  const range = replayRange(wanted, { now, retentionDays });
  if ('field' in range) throw refusal([{ ...range, error: 'invalid_field' }]);
  const webhook = await findWebhook(db, wanted.accountId, wanted.webhookId);
  if (!webhook) throw noSuchWebhook();
  if (!webhook.enabled) throw webhookDisabled('id');
  return { webhook, range };
}
