import { pingBody, pushHeaders } from '@pts/core/webhook/push';
import { verdictOf } from '@pts/core/webhook/retry';
import type { Account } from '@pts/db/accounts/accounts';
import { recordPings } from '@pts/db/deliveries/pings';
import { freshId } from '@pts/db/ids';
import { findWebhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { excerptOf } from './excerpt.ts';
import { logNoAnswer } from './log-no-answer.ts';
import { noSuchWebhook } from './refusals.ts';
import { secretsOf } from './secret.ts';

/** The result of a ping. */
export type Pinged = {
  /** The HTTP status of the response; null if there was none. */
  status: number | null;
  durationMs: number;
  /** Why the ping was not accepted; null if it was. */
  error: string | null;
};

/**
 * Sends a signed ping to an endpoint, once, and records it in the delivery log. A receiver that cannot be reached is a result.
 * @param input.id defaults to the account's newest endpoint.
 * @throws ServiceError `not_found`.
 */
export async function pingWebhook(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'send' | 'logger' | 'now'>,
  { account, id }: { account: Pick<Account, 'id' | 'testOf'>; id?: string | undefined },
): Promise<Pinged> {
  const accountId = account.id;
  const webhook = await findWebhook(ctx.db, accountId, id);
  if (!webhook) throw noSuchWebhook();
  const startedAt = ctx.now();
  const messageId = freshId(startedAt);
  const body = pingBody(startedAt, webhook.id, { isTest: account.testOf !== null });
  const secrets = secretsOf(ctx, webhook, startedAt);
  const headers = pushHeaders({ messageId, event: 'ping', attempt: 1, body, secrets, sentAt: startedAt });
  const sent = await ctx.send({ url: webhook.url, headers, body });
  logNoAnswer(ctx, { accountId, webhookId: webhook.id, messageId }, sent);
  const { durationMs, trace } = sent;
  const status = sent.kind === 'answered' ? sent.status : null;
  const error = sent.kind === 'answered' ? verdictOf(sent.status, 1, startedAt).error : sent.reason;
  await recordPings(ctx.db, [
    {
      messageId,
      webhookId: webhook.id,
      accountId,
      attempt: 1,
      startedAt,
      statusCode: status ?? 0,
      error,
      durationMs,
      trace: { ...trace, url: webhook.url },
      responseExcerpt: excerptOf(sent),
    },
  ]);
  return { status, durationMs, error };
}
