import { refusal, refusedField } from '@pts/core/faults';
import { replayRange } from '@pts/core/webhook/replay-range';
import { countReplay, type Replay, startReplay as store } from '@pts/db/deliveries/replays';
import { findWebhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { noSuchWebhook, webhookDisabled } from '../webhooks/refusals.ts';

const RUNNING =
  'belongs to a webhook that already has a running replay; wait for it to end, or cancel it: DELETE /api/v1/webhooks/{id}/replays/{replay_id}';

type Context = Pick<ServiceContext, 'db' | 'retentionDays' | 'now'>;
type Wanted = { accountId: string; webhookId: string; since: string; until?: string | undefined };

/**
 * Starts to send all events of a time range to an endpoint again; the dispatcher's sweep continues it after live events.
 * @param input.since RFC 3339, as is `until`; `until` defaults to now.
 * @throws ServiceError `not_found`, or `invalid_field`: the range is refused, the webhook is disabled, or another replay of it
 *   is running.
 */
export async function startReplay({ db, retentionDays, now }: Context, input: Wanted): Promise<Replay> {
  const { accountId, webhookId } = input;
  const at = now();
  const { range, events } = await admit({ db, retentionDays }, input, at);
  const started = await store(db, { webhookId, accountId, events, ...range, now: at });
  if (started) return started;
  throw (await findWebhook(db, accountId, webhookId)) ? refusedField('id', RUNNING) : noSuchWebhook();
}

/**
 * How many messages the same replay would send; null when there are too many to count.
 * @throws ServiceError as `startReplay`, but not for another replay that is running.
 */
export async function previewReplay({ db, retentionDays, now }: Context, input: Wanted): Promise<number | null> {
  const { range, events } = await admit({ db, retentionDays }, input, now());
  return countReplay(db, { accountId: input.accountId, events, ...range });
}

async function admit({ db, retentionDays }: Omit<Context, 'now'>, input: Wanted, now: Date) {
  const range = replayRange(input, { now, retentionDays });
  if ('field' in range) throw refusal([{ ...range, error: 'invalid_field' }]);
  const webhook = await findWebhook(db, input.accountId, input.webhookId);
  if (!webhook) throw noSuchWebhook();
  if (!webhook.enabled) throw webhookDisabled('id');
  return { range, events: webhook.events };
}
