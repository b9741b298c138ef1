import type { Delivery, Discrepancy, Facts } from './facts.ts';
import { groupBy } from './group.ts';

/** The delivery log numbers the attempts of each delivery 1, 2, 3 …, ends with its success, and agrees with the receivers. */
export function checkAttempts({ deliveries, pushes, endpoints, lost }: Facts): Discrepancy[] {
  const paths = new Map(endpoints.map(({ webhookId, path }) => [webhookId, path]));
  const received = groupBy(pushes, ({ endpoint, messageId, attempt }) => `${endpoint} ${messageId} ${attempt}`);
  const found: Discrepancy[] = [];
  const isLost = (messageId: string) => lost.messages.has(messageId) || lost.unlogged.has(messageId);
  const logged = new Set<string>();
  for (const delivery of deliveries) {
    const path = paths.get(delivery.webhookId) ?? delivery.webhookId;
    const about = `delivery ${delivery.id} of ${delivery.messageId} to ${path}`;
    found.push(...checkLog(delivery, about));
    for (const { attempt, statusCode } of delivery.log) {
      const key = `${path} ${delivery.messageId} ${attempt}`;
      logged.add(key);
      const answers = (received.get(key) ?? []).map(({ answered }) => answered);
      if (statusCode === 0 || answers.includes(statusCode)) continue;
      const seen = answers.join(', ') || 'nothing';
      found.push({
        promise: 'the log says what receivers answered',
        about: `${about}, attempt ${attempt}: ${statusCode}, receiver: ${seen}`,
      });
    }
  }
  for (const [key, [push]] of received)
    if (!logged.has(key) && !isLost(push?.messageId ?? ''))
      found.push({ promise: 'every attempt is in the log', about: key });
  return found;
}

function checkLog({ state, attempts, log }: Delivery, about: string): Discrepancy[] {
  const numbers = log.map(({ attempt }) => attempt);
  const found: Discrepancy[] = [];
  if (state !== 'delivered') found.push({ promise: 'every delivery succeeds', about: `${about}: ${state}` });
  if (numbers.length !== attempts || !numbers.every((attempt, n) => attempt === n + 1))
    found.push({ promise: 'attempts are numbered 1 to n', about: `${about}: ${numbers.join(' ')} of ${attempts}` });
  const successes = log.filter(({ statusCode }) => statusCode >= 200 && statusCode < 300).length;
  if (state === 'delivered' && (successes !== 1 || !isSuccess(log.at(-1)?.statusCode ?? 0)))
    found.push({
      promise: 'the last attempt succeeds, and no other',
      about: `${about}: ${log.map(({ statusCode }) => statusCode).join(' ')}`,
    });
  return found;
}

const isSuccess = (statusCode: number) => statusCode >= 200 && statusCode < 300;
