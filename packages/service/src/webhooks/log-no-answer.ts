import type { Sent } from '@pts/egress/send';
import type { ServiceContext } from '../context.ts';

/** Logs why a push got no response, with what the account must not see of it, such as addresses inside the network. */
export function logNoAnswer(
  { logger }: Pick<ServiceContext, 'logger'>,
  push: { accountId: string; webhookId: string; messageId: string },
  sent: Sent,
): void {
  if (sent.kind === 'answered') return;
  const { reason, detail, durationMs } = sent;
  logger.info({ ...push, event: 'ping', error: reason, detail, durationMs }, 'not delivered');
}
