import { refusal, refusedField } from '@pts/core/faults';
import { replayRange } from '@pts/core/webhook/replay-range';
import { type Replay, startReplay as store } from '@pts/db/deliveries/replays';
import { findWebhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { noSuchWebhook, webhookDisabled } from '../webhooks/refusals.ts';

const RUNNING =
  'belongs to a webhook that already has a running replay; wait for it to end, or cancel it: DELETE /api/v1/webhooks/{id}/replays/{replay_id}';

/**
 * Starts to send all events of a time range to an endpoint again; the dispatcher's sweep continues it after live events.
 * @param input.since RFC 3339, as is `until`; `until` defaults to now.
 * @throws ServiceError `not_found`, or `invalid_field`: the range is refused, the webhook is disabled, or another replay of it
 *   is running.
 */
export async function startReplay(
  { db, retentionDays, now }: Pick<ServiceContext, 'db' | 'retentionDays' | 'now'>,
  input: { accountId: string; webhookId: string; since: string; until?: string | undefined },
): Promise<Replay> {
  const { accountId, webhookId } = input;
  const at = now();
  const range = replayRange(input, { now: at, retentionDays });
  if ('field' in range) throw refusal([{ ...range, error: 'invalid_field' }]);
  const webhook = await findWebhook(db, accountId, webhookId);
  if (!webhook) throw noSuchWebhook();
  if (!webhook.enabled) throw webhookDisabled('id');
  const started = await store(db, { webhookId, accountId, events: webhook.events, ...range, now: at });
  if (started) return started;
  throw (await findWebhook(db, accountId, webhookId)) ? refusedField('id', RUNNING) : noSuchWebhook();
}
