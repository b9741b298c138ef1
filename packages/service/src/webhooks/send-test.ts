import type { EventKind } from '@pts/core/tracking/status';
import {
  type CheckName,
  type CheckPlan,
  type CheckRequest,
  type CheckResult,
  checkRequest,
  expectedOf,
  isAsExpected,
} from '@pts/core/webhook/receiver-check';
import type { Account } from '@pts/db/accounts/accounts';
import { recordPings } from '@pts/db/deliveries/pings';
import { freshId } from '@pts/db/ids';
import { findWebhook, type Webhook } from '@pts/db/webhooks/endpoints';
import type { CheckTrace } from '@pts/egress/check-receiver';
import type { ServiceContext } from '../context.ts';
import { pingOf } from './check.ts';
import { logNoAnswer } from './log-no-answer.ts';
import { noSuchWebhook } from './refusals.ts';
import { secretsOf } from './secret.ts';

type Context = Pick<ServiceContext, 'db' | 'secretCipher' | 'send' | 'logger' | 'now'>;
type Wanted = {
  account: Pick<Account, 'id' | 'testOf'>;
  /** Defaults to the account's newest endpoint. */
  id?: string | undefined;
  kind: CheckName;
  event: EventKind | 'ping';
};

/**
 * Sends one push of the merchant's choice to an endpoint, right or wrong on purpose. A duplicate comes after the push that it
 * repeats. The delivery log records each as a ping.
 * @throws ServiceError `not_found`.
 */
export async function sendTestPush(ctx: Context, { account, id, kind, event }: Wanted): Promise<CheckTrace> {
  const webhook = await findWebhook(ctx.db, account.id, id);
  if (!webhook) throw noSuchWebhook();
  const plan = planOf(ctx, webhook, { account, event });
  const [messageId] = plan.messageIds;
  const send = async (name: CheckName): Promise<CheckTrace> => {
    const at = ctx.now();
    const request = checkRequest(name, plan, at);
    const sent = await ctx.send({ url: webhook.url, headers: request.headers, body: request.body });
    logNoAnswer(ctx, { accountId: account.id, webhookId: webhook.id, messageId }, sent);
    const status = sent.kind === 'answered' ? sent.status : 0;
    const result: CheckResult = {
      name,
      expected: expectedOf(name),
      http_status: status,
      response_ms: sent.durationMs,
      passed: isAsExpected(name, status),
      advice: null,
    };
    const trace = { ...request, startedAt: at, sent, result };
    await recordPings(ctx.db, [pingOf(webhook, trace)]);
    return trace;
  };
  if (kind === 'duplicate') await send('valid');
  return send(kind);
}

/** The push that `sendTestPush` would send now, and where; nothing is sent. @throws ServiceError `not_found`. */
export async function previewTestPush(
  ctx: Pick<Context, 'db' | 'secretCipher' | 'now'>,
  { account, id, kind, event }: Wanted,
): Promise<CheckRequest & { url: string }> {
  const webhook = await findWebhook(ctx.db, account.id, id);
  if (!webhook) throw noSuchWebhook();
  const plan = planOf(ctx, webhook, { account, event });
  return { url: webhook.url, ...checkRequest(kind, plan, plan.startedAt) };
}

/** Every push has the same message. */
function planOf(
  ctx: Pick<Context, 'secretCipher' | 'now'>,
  webhook: Webhook,
  { account, event }: Pick<Wanted, 'account' | 'event'>,
): CheckPlan {
  const startedAt = ctx.now();
  const messageId = freshId(startedAt);
  return {
    webhookId: webhook.id,
    secrets: secretsOf(ctx, webhook, startedAt),
    startedAt,
    messageIds: [messageId, messageId, messageId],
    isTest: account.testOf !== null,
    event,
  };
}
