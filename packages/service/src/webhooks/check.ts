import type { CheckResult } from '@pts/core/webhook/receiver-check';
import type { Account } from '@pts/db/accounts/accounts';
import { type Ping, recordPings } from '@pts/db/deliveries/pings';
import { freshId } from '@pts/db/ids';
import { findWebhook, type Webhook } from '@pts/db/webhooks/endpoints';
import { type CheckTrace, checkReceiver } from '@pts/egress/check-receiver';
import type { ServiceContext } from '../context.ts';
import { excerptOf } from './excerpt.ts';
import { logNoAnswer } from './log-no-answer.ts';
import { noSuchWebhook } from './refusals.ts';
import { secretsOf } from './secret.ts';

/**
 * Checks whether a receiver verifies pushes (spec section 6.3), even if its endpoint is disabled. Each ping is recorded in
 * the delivery log.
 * @throws ServiceError `not_found`.
 */
export async function checkWebhook(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'send' | 'logger' | 'now'>,
  { account, id }: { account: Pick<Account, 'id' | 'testOf'>; id: string },
): Promise<{ passed: boolean; checks: CheckResult[] }> {
  const accountId = account.id;
  const webhook = await findWebhook(ctx.db, accountId, id);
  if (!webhook) throw noSuchWebhook();
  const startedAt = ctx.now();
  const { passed, checks, traces } = await checkReceiver(ctx, webhook.url, {
    webhookId: webhook.id,
    secrets: secretsOf(ctx, webhook, startedAt),
    startedAt,
    messageIds: [freshId(startedAt), freshId(startedAt), freshId(startedAt)],
    isTest: account.testOf !== null,
  });
  for (const { messageId, sent } of traces) logNoAnswer(ctx, { accountId, webhookId: webhook.id, messageId }, sent);
  await recordPings(
    ctx.db,
    traces.map((trace) => pingOf(webhook, trace)),
  );
  return { passed, checks };
}

/** The delivery record of one ping of the check. An expected refusal is recorded as such. */
export function pingOf(
  { id, accountId, url }: Webhook,
  { messageId, attempt, headers, startedAt, sent, result }: CheckTrace,
): Ping {
  const isSuccess = result.passed && result.expected === '2xx';
  const answered = sent.kind === 'answered' ? `the receiver answered ${sent.status}` : sent.reason;
  const verdict = result.passed ? ', as it should' : `; ${result.expected} was expected`;
  return {
    messageId,
    webhookId: id,
    accountId,
    attempt,
    startedAt,
    trace: { ...sent.trace, url, headers },
    statusCode: result.http_status,
    durationMs: result.response_ms,
    error: isSuccess ? null : `check, ${result.name} push: ${answered}${verdict}`,
    responseExcerpt: excerptOf(sent),
  };
}
