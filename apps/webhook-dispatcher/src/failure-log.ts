import { readMessage } from '@pts/core/languages/message';
import type { AttemptOutcome } from '@pts/db/deliveries/attempts';
import type { Logger } from '@pts/runtime/logger';

/** The interval of log lines about one failing endpoint, between its first failure and its recovery. */
const EVERY_MS = 60_000;
/** Log lines in that time over all endpoints, for changes and for reminders; the rest is summarized in one line. */
const MAX_LINES = { changes: 20, reminders: 10 };
/**
 * An endpoint without attempts is forgotten after this, which is longer than the longest pause of the retry schedule.
 */
const FORGET_MS = 2 * 86_400_000;

type Outcome = Pick<AttemptOutcome, 'webhookId' | 'accountId' | 'statusCode' | 'error' | 'state' | 'attempt'> & {
  /** Details of the error that the account must not see, such as addresses inside the network. */
  detail?: string;
};
type Endpoint = {
  accountId: string;
  isFailing: boolean;
  /** Whether it was logged: an outage that was not logged also ends without a line. */
  isKnown: boolean;
  since: number;
  seenAt: number;
  reportedAt: number;
  /** Not logged yet. */
  failures: number;
  delivered: number;
  gaveUp: number;
  last: Outcome;
};

/** The log of receivers: when one starts to fail, once a minute with counts, and when it recovers. */
export type FailureLog = {
  attempted(outcome: Outcome): void;
  disabled(webhookId: string, reason: string): void;
  /** Writes the due lines; called every few seconds. */
  report(): void;
};

export function createFailureLog(logger: Pick<Logger, 'info' | 'warn'>, now: () => Date): FailureLog {
  const endpoints = new Map<string, Endpoint>();
  const more = { endpoints: new Set<string>(), failures: 0, gaveUp: 0, recovered: 0, disabled: 0 };
  const left = { ...MAX_LINES };
  let minuteEndsAt = 0;

  /** Whether there is a line left for it in this minute. */
  const mayReport = (kind: keyof typeof MAX_LINES) => {
    if (minuteEndsAt === 0) minuteEndsAt = now().getTime() + EVERY_MS;
    left[kind] -= 1;
    return left[kind] >= 0;
  };

  function attempted(outcome: Outcome): void {
    const at = now().getTime();
    const known = endpoints.get(outcome.webhookId);
    const isDelivered = outcome.state === 'delivered';
    if (!known && isDelivered) return;
    const endpoint = known ?? newEndpoint(outcome, at);
    endpoints.set(outcome.webhookId, endpoint);
    endpoint.seenAt = at;
    if (isDelivered) {
      endpoint.delivered += 1;
      if (endpoint.isKnown) recover(endpoint, at);
      endpoint.isFailing = false;
      endpoint.isKnown = false;
      return;
    }
    endpoint.last = outcome;
    endpoint.failures += 1;
    if (outcome.state === 'exhausted') endpoint.gaveUp += 1;
    if (!endpoint.isFailing) endpoint.since = at;
    endpoint.isFailing = true;
    // An endpoint that fails repeatedly within a minute is summarized with the others.
    if (!known) report(endpoint, at, 'changes', 'endpoint failing');
  }

  function recover(endpoint: Endpoint, at: number): void {
    const fields = { ...about(endpoint), failingSeconds: Math.round((at - endpoint.since) / 1000) };
    if (mayReport('changes')) logger.info(fields, 'endpoint recovered');
    else more.recovered += 1;
    settle(endpoint, at);
  }

  function report(endpoint: Endpoint, at: number, kind: keyof typeof MAX_LINES, message: string): void {
    if (mayReport(kind)) logger.warn(about(endpoint), message);
    else {
      more.endpoints.add(endpoint.last.webhookId);
      more.failures += endpoint.failures;
      more.gaveUp += endpoint.gaveUp;
    }
    endpoint.isKnown = endpoint.isFailing;
    settle(endpoint, at);
  }

  function reportMore(at: number): void {
    if (minuteEndsAt === 0 || at < minuteEndsAt) return;
    minuteEndsAt = 0;
    Object.assign(left, MAX_LINES);
    const { endpoints: unnamed, ...counts } = more;
    if (unnamed.size + counts.recovered + counts.disabled > 0)
      logger.warn({ endpoints: unnamed.size, ...counts }, 'more endpoints failing');
    unnamed.clear();
    Object.assign(more, { failures: 0, gaveUp: 0, recovered: 0, disabled: 0 });
  }

  return {
    attempted,
    disabled(webhookId, reason) {
      endpoints.delete(webhookId);
      if (mayReport('changes')) logger.warn({ webhookId, reason }, 'endpoint disabled');
      else more.disabled += 1;
    },
    report() {
      const at = now().getTime();
      reportMore(at);
      for (const [webhookId, endpoint] of endpoints) {
        if (at - endpoint.reportedAt < EVERY_MS) continue;
        if (endpoint.failures > 0) report(endpoint, at, 'reminders', stateOf(endpoint));
        else if (!endpoint.isFailing || at - endpoint.seenAt > FORGET_MS) endpoints.delete(webhookId);
      }
    },
  };
}

function stateOf({ isFailing, isKnown }: Endpoint): string {
  if (!isFailing) return 'endpoint failing at times';
  return isKnown ? 'endpoint still failing' : 'endpoint failing';
}

function newEndpoint(outcome: Outcome, at: number): Endpoint {
  const { accountId } = outcome;
  const none = { failures: 0, delivered: 0, gaveUp: 0 };
  return { accountId, isFailing: true, isKnown: false, since: at, seenAt: at, reportedAt: at, last: outcome, ...none };
}

function settle(endpoint: Endpoint, at: number): void {
  Object.assign(endpoint, { reportedAt: at, failures: 0, delivered: 0, gaveUp: 0 });
}

/** Never a URL: it may contain a secret. */
function about({ accountId, failures, delivered, gaveUp, last }: Endpoint): Record<string, unknown> {
  const { webhookId, statusCode, error, detail, attempt } = last;
  const more = detail === undefined ? {} : { detail: masked(detail) };
  return { webhookId, accountId, statusCode, error: masked(error), ...more, attempt, failures, delivered, gaveUp };
}

/** A text, or a stored message, in English. A library's error text may contain a URL with its query. */
export function masked(error: string | null): string | null {
  return error && `${readMessage(error)}`.replace(/\?[^\s"']+/g, '?***');
}
