import { shownHeaders, withoutValues } from '@pts/core/webhook/headers';
import {
  CHECKS,
  type CheckAnswer,
  type CheckPlan,
  type CheckRequest,
  type CheckResult,
  checkRequest,
  judgeReceiver,
} from '@pts/core/webhook/receiver-check';
import type { SendPush, Sent } from './send.ts';

/** One request of a check, as it is shown, with its outcome. */
export type CheckTrace = CheckRequest & { startedAt: Date; sent: Sent; result: CheckResult };

/**
 * Runs the checks of `core/webhook/receiver-check` against a receiver, one after the other, and evaluates them. Nothing
 * more is sent if the first one gets no answer: each would wait for the timeout.
 */
export async function checkReceiver(
  deps: { send: SendPush; now(): Date },
  url: string,
  plan: CheckPlan,
): Promise<{ passed: boolean; checks: CheckResult[]; traces: CheckTrace[] }> {
  const played: (Omit<CheckTrace, 'result'> & { answer: CheckAnswer })[] = [];
  for (const { name } of CHECKS) {
    const startedAt = deps.now();
    const request = checkRequest(name, plan, startedAt);
    const sent = withoutValues(
      await deps.send({ url, headers: request.headers, body: request.body }),
      plan.staticHeaders,
    );
    const { durationMs } = sent;
    const answer: CheckAnswer =
      sent.kind === 'answered'
        ? { name, status: sent.status, noAnswer: null, durationMs }
        : { name, status: 0, noAnswer: { isTimeout: sent.cause === 'timeout', reason: sent.reason }, durationMs };
    played.push({ ...request, headers: shownHeaders(request.headers, plan), startedAt, sent, answer });
    if (name === 'valid' && sent.kind !== 'answered') break;
  }
  const { passed, checks } = judgeReceiver(played.map(({ answer }) => answer));
  const traces = played.flatMap(({ answer, ...trace }) => {
    const result = checks.find(({ name }) => name === answer.name);
    return result ? [{ ...trace, result }] : [];
  });
  return { passed, checks, traces };
}
