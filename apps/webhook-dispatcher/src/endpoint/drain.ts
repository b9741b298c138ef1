import { isSlow, type PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { Verdict } from '@pts/core/webhook/retry';
import type { DueDelivery, LoadRequest } from '@pts/db/deliveries/attempts';
import type { DeliverJob } from '@pts/queue/catalog';
import { unlessStopped } from '@pts/runtime/process/unless-stopped';
import { type Attempted, attempt } from '../attempt/attempt.ts';
import { report } from '../attempt/report.ts';
import type { DeliverDeps, DrainDeps } from '../process/deps.ts';
import type { Place } from './fair-limiter.ts';
import { type HealthWatch, watchHealth } from './health.ts';
import { createInFlight } from './in-flight.ts';
import type { FirstPage } from './leases.ts';
import { pageFor } from './page.ts';
import { createTaskGroup } from './task-group.ts';

/** After this long an endpoint with more pending deliveries queues up behind the others. */
const SLICE_MS = 5000;
/** An endpoint that another process works for is tried again after this. */
const TRY_AGAIN_MS = 1000;

/** A `deliver` job. If the endpoint cannot be served now, it is woken again soon. */
export function deliver(deps: DeliverDeps, job: DeliverJob): Promise<void> {
  const { bulkhead, outcomes, wakeTimers, now } = deps;
  return bulkhead.admit(job, async () => {
    const outcome = outcomes[job.isFailing ? 'failing' : 'healthy'];
    const isOurs = await drainWithLease(deps, job).catch((error) => {
      outcome.failed();
      throw error;
    });
    if (isOurs) outcome.succeeded();
    else wakeTimers.at(job, new Date(now().getTime() + TRY_AGAIN_MS));
  });
}

/** @returns false if another process works for the endpoint. */
async function drainWithLease(deps: DeliverDeps, endpoint: DeliverJob): Promise<boolean> {
  return deps.leases.run(endpoint.webhookId, firstLoad(deps, endpoint), (first) => drain(deps, endpoint, first));
}

/**
 * Delivers the pending deliveries of an endpoint: loads due ones, sends as many at once as its window allows, records.
 * Resolves when every attempt is stored. What receivers do is a value; a throw is an internal error, after which the
 * job is retried: whatever was not recorded is still pending.
 * @param first its first page, if that was loaded with the lease.
 */
export async function drain(deps: DrainDeps, endpoint: PendingEndpoint, first: FirstPage | null = null): Promise<void> {
  const slice = new TimeSlice(deps, endpoint);
  await slice.begin(first);
  do {
    slice.startNext();
    slice.loadMore();
  } while (await slice.change());
  await slice.finish();
}

/** The page that is loaded with the lease; null for a failing endpoint, where superseding comes first. */
function firstLoad(
  { windows, endpointCount }: DrainDeps,
  { webhookId, accountId, isFailing }: PendingEndpoint,
): LoadRequest | null {
  if (isFailing) return null;
  return {
    webhookId,
    accountId,
    after: null,
    inFlight: [],
    page: pageFor(windows.of(webhookId, false).size, endpointCount()),
  };
}

/** The time slice of an endpoint: what it has loaded, what it is sending, and whether more is pending. */
class TimeSlice {
  readonly #deps: DrainDeps;
  readonly #endpoint: PendingEndpoint;
  readonly #health: HealthWatch;
  readonly #inFlight = createInFlight();
  readonly #tasks = createTaskGroup();
  /** Counted from its first push: however long the database takes before, something is sent. */
  #endsAt: number | null = null;
  /** Nothing more is due in Postgres. */
  #isDrained = false;
  #isLoading = false;
  #nextDueAt: Date | null = null;

  constructor(deps: DrainDeps, endpoint: PendingEndpoint) {
    this.#deps = deps;
    this.#endpoint = endpoint;
    this.#health = watchHealth(deps.endpoints, endpoint, deps.failures);
  }

  /** While it fails, only the newest update of a parcel stays pending, if the endpoint is set to supersede. */
  async begin(first: FirstPage | null): Promise<void> {
    const { endpoints, now } = this.#deps;
    if (this.#endpoint.isFailing) await endpoints.supersede(this.#endpoint, now());
    if (first) this.#accept(first);
  }

  /** Sends as many loaded deliveries as the window allows. */
  startNext(): void {
    if (this.#isOver()) return;
    while (this.#inFlight.sending() < this.#windowSize()) {
      const next = this.#inFlight.start();
      if (!next) break;
      this.#endsAt ??= this.#deps.now().getTime() + SLICE_MS;
      this.#tasks.add(this.#deliver(next));
    }
  }

  /** Loads the next page before the window runs dry. */
  loadMore(): void {
    if (this.#isOver() || this.#isDrained || this.#isLoading) return;
    if (this.#inFlight.ready() < this.#windowSize()) this.#tasks.add(this.#load());
  }

  /** Resolves at the next progress: false when nothing is loaded or in flight. */
  change(): Promise<boolean> {
    return this.#tasks.change();
  }

  /** Leaves the rest to a later time slice. @throws the error of the first failed load or record. */
  async finish(): Promise<void> {
    this.#tasks.throwIfFailed();
    const { wakeTimers, wake } = this.#deps;
    const again = { ...this.#endpoint, isFailing: this.#health.isFailing() };
    if (this.#nextDueAt) wakeTimers.at(again, this.#nextDueAt);
    const isLeftOver = !this.#isDrained || this.#inFlight.ready() > 0;
    if (isLeftOver && !this.#health.isClosed()) await wake(again);
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    const page = pageFor(this.#windowSize(), this.#deps.endpointCount());
    const { webhookId, accountId } = this.#endpoint;
    const due = await this.#deps.load({ webhookId, accountId, ...this.#inFlight.position(), page });
    this.#isLoading = false;
    this.#accept({ page, due });
  }

  #accept({ page, due }: FirstPage): void {
    if (due[0]) this.#health.loaded(due[0].failingSince);
    const fresh = due.filter((delivery) => delivery.fresh).length;
    this.#isDrained = fresh < page.fresh && due.length - fresh < page.late;
    this.#inFlight.add(due);
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const place = await placeFor(this.#deps, this.#health, delivery);
    try {
      const attempted = await send(this.#deps, this.#health, delivery).finally(place.answered);
      if (attempted) await this.#settle(delivery, attempted);
    } finally {
      place.recorded();
    }
  }

  /** Records an attempt. The next delivery of its parcel need not wait for that. */
  async #settle(delivery: DueDelivery, attempted: Attempted): Promise<void> {
    const { outcome, verdict } = attempted;
    this.#health.closeIfTold(verdict);
    this.#inFlight.answered(delivery);
    this.#tasks.notify();
    await this.#deps.record(outcome, this.#isLast(verdict));
    this.#inFlight.recorded(delivery);
    report(this.#deps, delivery, attempted);
    this.#nextDueAt = earlier(this.#nextDueAt, outcome.nextAttemptAt);
    await this.#health.store(verdict, delivery.url, this.#deps.now());
  }

  /** Whether nothing is left once this attempt is recorded. */
  #isLast({ state }: Verdict): boolean {
    const isHealthy = state === 'delivered' && !this.#health.isFailing() && !this.#health.isClosed();
    return isHealthy && this.#isDrained && this.#inFlight.ready() === 0 && this.#tasks.running() === 1;
  }

  #windowSize(): number {
    return this.#deps.windows.of(this.#endpoint.webhookId, this.#health.isFailing()).size;
  }

  /** Whether to stop: after an internal error, if the endpoint is closed, at the end of its time slice or of the process. */
  #isOver(): boolean {
    const { stopping, now } = this.#deps;
    if (this.#tasks.hasFailed() || this.#health.isClosed() || stopping.aborted) return true;
    return this.#endsAt !== null && now().getTime() >= this.#endsAt;
  }
}

/** Waits for a place with the priority of a delivery. */
function placeFor({ limiter, windows }: DrainDeps, health: HealthWatch, delivery: DueDelivery): Promise<Place> {
  const { webhookId, accountId, fresh } = delivery;
  const isPrompt = fresh && !health.isFailing() && !isSlow(windows.of(webhookId, false));
  return limiter.take(accountId, isPrompt ? 'prompt' : 'late');
}

/**
 * Sends one, and learns from the result.
 * @returns null when the process stops before there is a result: the receiver may have it, and gets it again.
 */
async function send(deps: DrainDeps, health: HealthWatch, delivery: DueDelivery): Promise<Attempted | null> {
  const attempted = await unlessStopped(deps.stopSends, () => attempt(deps, delivery));
  if (attempted === null) return null;
  const { state, durationMs } = attempted.outcome;
  deps.windows.note(delivery.webhookId, health.isFailing(), state === 'delivered', durationMs);
  return attempted;
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
