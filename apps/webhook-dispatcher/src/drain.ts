import { isSlow, type PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { Verdict } from '@pts/core/webhook/retry';
import type { DueDelivery, LoadRequest, Page } from '@pts/db/deliveries/attempts';
import { createWorkLoop } from '@pts/queue/loop';
import { unlessStopped } from '@pts/runtime/process/unless-stopped';
import { type Attempted, attempt, report } from './attempt.ts';
import type { DrainDeps } from './deps.ts';
import { type HealthWatch, watchHealth } from './health.ts';
import type { FirstPage, Leases } from './leases.ts';
import type { PushPermit } from './limiter.ts';

/*
 * Six gates can hold a push back. They come in this order:
 *
 * | Gate                   | Holds back                                 | Until                                 |
 * |------------------------|--------------------------------------------|---------------------------------------|
 * | due (`loadDue`)        | a retry before its time                    | `next_attempt_at`                     |
 * |                        | an endpoint that asked to wait             | `not_before`                          |
 * |                        | an endpoint that was disabled              | it is enabled, and the sweep has      |
 * |                        |                                            | cancelled what was pending before     |
 * | loop (`ENDPOINTS`)     | the 501st endpoint of this process; the    | another endpoint has nothing left, or |
 * |                        | 251st that is failing or slow              | has used its time slice               |
 * | lease (`leases.ts`)    | an endpoint that another process serves    | that time slice ends, or the process  |
 * |                        |                                            | has been dead for 5 s                 |
 * | window (`windows`)     | more at once than the endpoint has shown   | one of them is answered               |
 * |                        | to take: 2 to 64                           |                                       |
 * | order of a parcel      | a delivery while another of its parcel is  | the receiver has answered that one    |
 * | (`createInFlight`)     | in flight to the endpoint                  |                                       |
 * | limiter (`limiter.ts`) | more at once than `WEBHOOK_CONCURRENCY`;   | one is answered; accounts take turns  |
 * |                        | late ones beyond half of it                |                                       |
 * |                        | all, while twice as many are not recorded  | one is recorded                       |
 */

/** The number of endpoints that a process works for at once. Failing and slow ones get half of them. */
const ENDPOINTS = 500;
/** Endpoints that may wait for a place; a sweep finds the others. */
const MAX_WAITING = 2000;
/** After this long an endpoint with more pending deliveries queues up behind the others. */
const SLICE_MS = 5000;

type Options = {
  leases: Leases;
  /** Gets internal errors: what is not recorded is still pending. */
  onError(error: Error): void;
};

/** Serves endpoints that are woken. An endpoint has one process at a time, and one time slice in it. */
export function createDeliveries(deps: DrainDeps, { leases, onError }: Options) {
  const slices = new Map<string, TimeSlice>();
  const { windows } = deps.admission;
  const loop = createWorkLoop<PendingEndpoint>({
    places: ENDPOINTS,
    latePlaces: ENDPOINTS / 2,
    maxWaiting: MAX_WAITING,
    keyOf: ({ webhookId }) => webhookId,
    onError,
    async run(endpoint) {
      const { webhookId } = endpoint;
      const isWanted = await leases.run(webhookId, firstLoad(deps, endpoint), async (first) => {
        const slice = new TimeSlice(deps, endpoint);
        slices.set(webhookId, slice);
        await slice.run(first).finally(() => slices.delete(webhookId));
      });
      // Another process was woken meanwhile, for deliveries that the slice may not have seen.
      if (isWanted) start(endpoint);
    },
  });
  const start = (endpoint: PendingEndpoint) => {
    const isLate = endpoint.isFailing || isSlow(windows.of(endpoint.webhookId, endpoint.isFailing));
    loop.start(endpoint, isLate ? 'late' : 'prompt');
  };
  return {
    /** Has what is pending to an endpoint sent: by this process, or by the one that serves the endpoint already. */
    wake: (endpoint: PendingEndpoint) => {
      if (!slices.get(endpoint.webhookId)?.wake()) start(endpoint);
    },
    /** Endpoints that this process works for. */
    count: loop.busy,
    /** Whether an endpoint of this kind would be served at once. */
    hasFree: loop.hasFree,
    /** Resolves when every attempt that was made is stored, and the leases are given back. */
    close: loop.close,
  };
}

/** The page that is loaded with the lease; null for a failing endpoint, where superseding comes first. */
function firstLoad(
  { admission: { windows, endpointCount } }: DrainDeps,
  { webhookId, accountId, isFailing }: PendingEndpoint,
): LoadRequest | null {
  if (isFailing) return null;
  const page = pageFor(windows.of(webhookId, false).size, endpointCount());
  return { webhookId, accountId, after: null, inFlight: [], page };
}

/**
 * Delivers the pending deliveries of an endpoint, under its lease. Resolves when every attempt is stored. What
 * receivers do is a value; a throw is an internal error, after which whatever was not recorded is still pending.
 * @param first its first page, if that was loaded with the lease.
 */
export function drain(deps: DrainDeps, endpoint: PendingEndpoint, first: FirstPage | null = null): Promise<void> {
  return new TimeSlice(deps, endpoint).run(first);
}

/** The time slice of an endpoint: what it has loaded, what it is sending, and whether more is pending. */
class TimeSlice {
  readonly #deps: DrainDeps;
  readonly #endpoint: PendingEndpoint;
  readonly #health: HealthWatch;
  readonly #inFlight = createInFlight();
  readonly #tasks = createTaskGroup();
  /** Set at the first push: a slow database before it does not use up the time slice. */
  #endsAt: number | null = null;
  /** Nothing more is due in Postgres. */
  #isDrained = false;
  #isLoading = false;
  /** Woken since the last load began, which may not have seen what is new. */
  #isWoken = false;
  /** The record that is being stored also ends the lease. */
  #isEnding = false;
  #nextDueAt: Date | null = null;

  constructor(deps: DrainDeps, endpoint: PendingEndpoint) {
    this.#deps = deps;
    this.#endpoint = endpoint;
    this.#health = watchHealth(deps.store.endpoints, endpoint, deps.reporting.failures);
  }

  async run(first: FirstPage | null): Promise<void> {
    await this.#begin(first);
    do {
      this.#sendNext();
      this.#loadMore();
    } while (await this.#tasks.change());
    this.#finish();
  }

  /** More is pending. @returns false if this slice will not load it: the endpoint needs another slice. */
  wake(): boolean {
    if (this.#isEnding || this.#isOver()) return false;
    this.#isWoken = true;
    this.#tasks.notify();
    return true;
  }

  /** A failing endpoint with `supersede` keeps only the newest update of each parcel pending. */
  async #begin(first: FirstPage | null): Promise<void> {
    const { store, clock } = this.#deps;
    if (this.#endpoint.isFailing) await store.endpoints.supersede(this.#endpoint, clock.now());
    if (first) this.#accept(first);
  }

  /** Sends as many loaded deliveries as the window allows. */
  #sendNext(): void {
    if (this.#isOver()) return;
    while (this.#inFlight.sending() < this.#windowSize()) {
      const next = this.#inFlight.start();
      if (!next) break;
      this.#endsAt ??= this.#deps.clock.now().getTime() + SLICE_MS;
      this.#tasks.add(this.#deliver(next));
    }
  }

  /** Loads the next page before the window runs dry. */
  #loadMore(): void {
    if (this.#isOver() || this.#isEnding || this.#isLoading || (this.#isDrained && !this.#isWoken)) return;
    if (this.#inFlight.ready() < this.#windowSize()) this.#tasks.add(this.#load());
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    const page = pageFor(this.#windowSize(), this.#deps.admission.endpointCount());
    const { webhookId, accountId } = this.#endpoint;
    // Deliveries that were stored since may have lower ids than those that were loaded.
    const position = this.#inFlight.position({ fromStart: this.#isDrained });
    this.#isWoken = false;
    const due = await this.#deps.store.load({ webhookId, accountId, ...position, page });
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
    const permit = await permitFor(this.#deps, this.#health, delivery);
    try {
      const attempted = await send(this.#deps, this.#health, delivery).finally(permit.answered);
      if (attempted) await this.#settle(delivery, attempted);
    } finally {
      permit.recorded();
    }
  }

  /** Records an attempt. The next delivery of its parcel need not wait for that. */
  async #settle(delivery: DueDelivery, attempted: Attempted): Promise<void> {
    const { outcome, verdict } = attempted;
    const { store, clock, reporting } = this.#deps;
    this.#health.closeIfTold(verdict);
    this.#inFlight.answered(delivery);
    this.#tasks.notify();
    this.#isEnding = this.#isLast(verdict);
    await store.record(outcome, this.#isEnding);
    this.#inFlight.recorded(delivery);
    report(reporting, delivery, attempted);
    this.#nextDueAt = earlier(this.#nextDueAt, outcome.nextAttemptAt);
    await this.#health.store(verdict, delivery.url, clock.now());
  }

  /** Whether nothing is left once this attempt is recorded. */
  #isLast({ state }: Verdict): boolean {
    const isHealthy = state === 'delivered' && !this.#health.isFailing() && !this.#health.isClosed();
    const isLast = this.#isDrained && !this.#isWoken && this.#inFlight.ready() === 0 && this.#tasks.running() === 1;
    return isHealthy && isLast;
  }

  /** Leaves the rest to a later time slice. @throws the error of the first failed load or record. */
  #finish(): void {
    this.#tasks.throwIfFailed();
    const { wakeAt, wake } = this.#deps.clock;
    const again = { ...this.#endpoint, isFailing: this.#health.isFailing() };
    if (this.#nextDueAt) wakeAt(again, this.#nextDueAt);
    const isLeftOver = !this.#isDrained || this.#isWoken || this.#inFlight.ready() > 0;
    if (isLeftOver && !this.#health.isClosed()) wake(again);
  }

  #windowSize(): number {
    return this.#deps.admission.windows.of(this.#endpoint.webhookId, this.#health.isFailing()).size;
  }

  /**
   * Whether to stop: after an internal error, if the endpoint is closed, at the end of its time slice or of the
   * process.
   */
  #isOver(): boolean {
    const { stopping, now } = this.#deps.clock;
    if (this.#tasks.hasFailed() || this.#health.isClosed() || stopping.aborted) return true;
    return this.#endsAt !== null && now().getTime() >= this.#endsAt;
  }
}

/** Waits for a permit with the priority of a delivery. */
function permitFor({ admission }: DrainDeps, health: HealthWatch, delivery: DueDelivery): Promise<PushPermit> {
  const { webhookId, accountId, fresh } = delivery;
  const isPrompt = fresh && !health.isFailing() && !isSlow(admission.windows.of(webhookId, false));
  return admission.limiter.take(accountId, isPrompt ? 'prompt' : 'late');
}

/**
 * Sends one, and learns from the result.
 * @returns null when the process stops before there is a result: the receiver may have it, and gets it again.
 */
async function send(deps: DrainDeps, health: HealthWatch, delivery: DueDelivery): Promise<Attempted | null> {
  const { admission, receiver, clock } = deps;
  const attempted = await unlessStopped(clock.stopSends, () => attempt(receiver, delivery, clock.now));
  if (attempted === null) return null;
  const { state, durationMs } = attempted.outcome;
  admission.windows.note(delivery.webhookId, health.isFailing(), state === 'delivered', durationMs);
  return attempted;
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** How many windows of deliveries are loaded at once for an endpoint. */
const ROUNDS = 4;
/** First attempts that a process loads for all endpoints together: a message is 1 to 2 KB, so 50 MB at most. */
const MAX_LOADED = 16_384;
const MIN_LATE = 4;

/**
 * The page size for an endpoint with this window, given the number of active endpoints: an endpoint that
 * takes little gets small pages, so a thousand of them need as little memory as ten.
 */
export function pageFor(window: number, endpoints: number): Page {
  const fresh = Math.max(1, Math.min(ROUNDS * window, Math.floor(MAX_LOADED / endpoints)));
  return { fresh, late: Math.max(MIN_LATE, Math.floor(fresh / 4)) };
}

/**
 * The deliveries of one endpoint that were loaded and are not yet recorded. Those of one parcel are started in the
 * order in which they were added, one after the other.
 */
export function createInFlight() {
  const waiting: DueDelivery[] = [];
  const parcels = new Set<string>();
  /** By id, whether it is a late one. */
  const loaded = new Map<string, boolean>();
  const recordedSinceLoad = new Set<string>();
  let after: string | null = null;
  return {
    /** Adds the deliveries of a load, except those that it has, or that were recorded while the load was under way. */
    add(deliveries: readonly DueDelivery[]) {
      for (const delivery of deliveries) {
        const { deliveryId, fresh } = delivery;
        if (loaded.has(deliveryId) || recordedSinceLoad.has(deliveryId)) continue;
        loaded.set(deliveryId, !fresh);
        if (fresh && (after === null || BigInt(deliveryId) > BigInt(after))) after = deliveryId;
        waiting.push(delivery);
      }
    },
    /** The next one to send: no other of its parcel is in flight. */
    start() {
      const index = waiting.findIndex((delivery) => !parcels.has(parcelOf(delivery)));
      if (index < 0) return undefined;
      const [next] = waiting.splice(index, 1);
      if (next) parcels.add(parcelOf(next));
      return next;
    },
    /** The receiver has answered: the next of that parcel may be sent. */
    answered: (delivery: DueDelivery) => void parcels.delete(parcelOf(delivery)),
    /** Its record is stored: only a load that began before that may still find it pending. */
    recorded({ deliveryId }: DueDelivery) {
      loaded.delete(deliveryId);
      recordedSinceLoad.add(deliveryId);
    },
    /** Loaded and not started. */
    ready: () => waiting.length,
    /** Sent and not answered. */
    sending: () => parcels.size,
    /** The position where loading continues, for a load that begins now. */
    position({ fromStart } = { fromStart: false }): Pick<LoadRequest, 'after' | 'inFlight'> {
      recordedSinceLoad.clear();
      return {
        after: fromStart ? null : after,
        inFlight: [...loaded].flatMap(([id, isLate]) => (isLate ? id : [])),
      };
    },
  };
}

function parcelOf({ trackingId, deliveryId }: DueDelivery): string {
  return trackingId ?? deliveryId;
}

/** Running work whose progress can be awaited. */
function createTaskGroup() {
  const faults: unknown[] = [];
  let underWay = 0;
  let hasMoved = false;
  let wake: (() => void) | null = null;
  const notify = () => {
    hasMoved = true;
    wake?.();
  };
  return {
    /** Reports progress although no work has ended. */
    notify,
    add(work: Promise<void>) {
      underWay += 1;
      work
        .catch((fault) => faults.push(fault))
        .finally(() => {
          underWay -= 1;
          notify();
        });
    },
    /** Resolves at the next progress: false when no work is running. */
    async change() {
      if (!hasMoved && underWay > 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      wake = null;
      // If the last work has just ended, the caller looks once more for its results.
      const goesOn = hasMoved || underWay > 0;
      hasMoved = false;
      return goesOn;
    },
    running: () => underWay,
    hasFailed: () => faults.length > 0,
    /** @throws the error of the first failed work. */
    throwIfFailed() {
      if (faults.length > 0) throw faults[0];
    },
  };
}
