import { isSlow } from '@pts/core/webhook/concurrency-window';
import type { AttemptOutcome, DueDelivery } from '@pts/db/deliveries/attempts';
import type { DeliverJob } from '@pts/queue/catalog';
import { attempt } from '../attempt/attempt.ts';
import type { DrainDeps } from '../process/deps.ts';
import { type HealthWatch, watchHealth } from './health.ts';
import { createInFlight } from './in-flight.ts';
import { pageFor } from './page.ts';
import { createTaskGroup } from './task-group.ts';

/** After this long an endpoint that is owed more queues up behind the others. */
const TURN_MS = 5000;
/**
 * Works off what an endpoint is owed: load what is due, send as much at once as its window allows, record. Resolves
 * when every attempt it made is on disk. What receivers do is a value; a throw is a fault of ours, after which the job
 * is tried again: whatever was not recorded is still owed.
 */
export async function drain(deps: DrainDeps, endpoint: DeliverJob): Promise<void> {
  const { webhookId } = endpoint;
  const health = watchHealth(deps.endpoints, endpoint, deps.failures);
  const inFlight = createInFlight();
  const tasks = createTaskGroup();
  const endsAt = deps.now().getTime() + TURN_MS;
  let isDrained = false;
  let isLoading = false;
  let nextDueAt: Date | null = null;

  const window = () => deps.windows.of(webhookId, health.isFailing()).window;
  const load = async () => {
    isLoading = true;
    const page = pageFor(window(), deps.endpointCount());
    const loaded = await deps.load({ webhookId, ...inFlight.position(), page });
    isLoading = false;
    if (loaded[0]) health.saw(loaded[0].failingSince);
    const fresh = loaded.filter((delivery) => delivery.fresh).length;
    isDrained = fresh < page.fresh && loaded.length - fresh < page.late;
    inFlight.add(loaded);
  };
  const deliver = async (delivery: DueDelivery) => {
    const { outcome, verdict } = await send(deps, health, delivery);
    health.hear(verdict);
    inFlight.answered(delivery);
    tasks.notify();
    await deps.record(outcome);
    inFlight.recorded(delivery);
    report(deps, outcome);
    nextDueAt = earlier(nextDueAt, outcome.nextAttemptAt);
    await health.note(verdict, deps.now());
  };
  const isOver = () =>
    tasks.hasFailed() || health.isClosed() || deps.stopping.aborted || deps.now().getTime() >= endsAt;

  if (endpoint.isFailing) await deps.endpoints.coalesce(webhookId, deps.now());
  do {
    if (isOver()) continue;
    while (inFlight.underWay() < window()) {
      const next = inFlight.start();
      if (!next) break;
      tasks.add(deliver(next));
    }
    if (!isDrained && !isLoading && inFlight.ready() < window()) tasks.add(load());
  } while (await tasks.change());
  tasks.throwIfFailed();

  const again = { webhookId, isFailing: health.isFailing() };
  if (nextDueAt) deps.wakeTimers.at(again, nextDueAt);
  const isLeftOver = !isDrained || inFlight.ready() > 0;
  if (isLeftOver && !health.isClosed()) await deps.wake(again);
}

/** Sends one, as soon as its lane has a place for it, and learns from how it went. */
async function send(deps: DrainDeps, health: HealthWatch, delivery: DueDelivery) {
  const { webhookId, accountId, fresh } = delivery;
  const isPrompt = fresh && !health.isFailing() && !isSlow(deps.windows.of(webhookId, false));
  const release = await deps.limiter.take(accountId, isPrompt ? 'prompt' : 'late');
  try {
    const attempted = await attempt(deps, delivery);
    const { state, durationMs } = attempted.outcome;
    deps.windows.note(webhookId, health.isFailing(), state === 'delivered', durationMs);
    return attempted;
  } finally {
    release();
  }
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Each attempt is counted, and a line only for who looks closely; never a body, a secret or an address with its query. */
function report({ logger, failures, metrics }: DrainDeps, outcome: AttemptOutcome): void {
  const { accountId, webhookId, messageId, deliveryId, event, attempt, round, statusCode, error, durationMs } = outcome;
  metrics.attempts.inc({ outcome: outcome.state === 'owed' ? 'failed' : outcome.state });
  metrics.sendSeconds.observe(durationMs / 1000);
  const fields = { accountId, webhookId, messageId, deliveryId, event, attempt, round, statusCode, durationMs };
  failures.attempted(outcome);
  if (error === null) logger.debug(fields, 'delivered');
  else
    logger.debug(
      { ...fields, error, nextAttemptAt: outcome.nextAttemptAt },
      outcome.state === 'exhausted' ? 'gave up' : 'not delivered',
    );
}
