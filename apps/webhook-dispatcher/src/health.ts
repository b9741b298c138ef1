import { type Message, message, storedMessage } from '@pts/core/languages/message';
import { type EndpointKey, giveUpReason, type PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { Verdict } from '@pts/core/webhook/retry';
import type { Db } from '@pts/db/connection';
import { type PendingPlace, supersedePending } from '@pts/db/deliveries/pending';
import { disableEndpoint, holdEndpoint, noteFailure, noteRecovery, type PushTarget } from '@pts/db/webhooks';
import type { FailureLog } from './failure-log.ts';

/** How often failures of a failing endpoint are recorded: enough to detect an outage of days. */
const NOTE_EVERY_MS = 60_000;
/**
 * Maximum number of deliveries of each kind that are looked at for superseded updates before a time slice: a long
 * backlog is walked through over many slices.
 */
const LOOKED_AT = 5000;

/** The stored health of an endpoint. */
export type EndpointStore = {
  noteFailure(target: PushTarget, now: Date): Promise<Date | null>;
  noteRecovery(target: PushTarget): Promise<void>;
  hold(target: PushTarget, until: Date): Promise<void>;
  disable(target: PushTarget, reason: Message, now: Date): Promise<boolean>;
  /** Drops superseded updates from the next page of what is pending. */
  supersede(endpoint: EndpointKey, now: Date): Promise<void>;
};

export function endpointStore(db: Db): EndpointStore {
  const places = new Map<string, PendingPlace>();
  return {
    noteFailure: (target, now) => noteFailure(db, target, now),
    noteRecovery: (target) => noteRecovery(db, target),
    hold: (target, until) => holdEndpoint(db, target, until),
    disable: (target, reason, now) => disableEndpoint(db, target, storedMessage(reason), now),
    async supersede(endpoint, now) {
      const after = places.get(endpoint.webhookId) ?? null;
      const { next } = await supersedePending(db, endpoint, { after, limit: LOOKED_AT, now });
      if (next) places.set(endpoint.webhookId, next);
      else places.delete(endpoint.webhookId);
    },
  };
}

/** Tracks the health of an endpoint over the attempts of one drain, and stores it. */
export type HealthWatch = {
  isFailing(): boolean;
  /** Whether sending must stop: the endpoint asked to wait (Retry-After) or is disabled. */
  isClosed(): boolean;
  /**
   * Takes over the stored health of the endpoint, as a page of its deliveries says it. The page may be older than a
   * failure that was stored since.
   */
  loaded(failingSince: Date | null): void;
  /** Prevents the next push at once if the receiver is gone or asks to wait. */
  closeIfTold(verdict: Verdict): void;
  /** Stores the effect of a recorded attempt on the endpoint, if it still has the URL of that attempt. */
  store(verdict: Verdict, url: string, now: Date): Promise<void>;
};

export function watchHealth(
  endpoints: EndpointStore,
  endpoint: PendingEndpoint,
  log: Pick<FailureLog, 'disabled'>,
): HealthWatch {
  let failing = endpoint.isFailing;
  let closed = false;
  let notedAt = 0;
  const disable = async (target: PushTarget, reason: Message, now: Date) => {
    closed = true;
    if (await endpoints.disable(target, reason, now)) log.disabled(endpoint.webhookId, `${reason}`);
  };
  return {
    isFailing: () => failing,
    isClosed: () => closed,
    loaded(failingSince) {
      failing = failingSince !== null || notedAt > 0;
    },
    closeIfTold({ isGone, holdUntil }) {
      if (isGone || holdUntil) closed = true;
    },
    async store({ state, isGone, holdUntil }, url, now) {
      const target = { ...endpoint, url };
      if (state === 'delivered') {
        if (!failing) return;
        failing = false;
        notedAt = 0;
        return endpoints.noteRecovery(target);
      }
      if (isGone) return disable(target, message('endpoint.gone'), now);
      if (holdUntil) await endpoints.hold(target, holdUntil);
      if (failing && now.getTime() - notedAt < NOTE_EVERY_MS) return;
      failing = true;
      notedAt = now.getTime();
      const since = await endpoints.noteFailure(target, now);
      const reason = since && giveUpReason(since, now);
      if (reason) await disable(target, reason, now);
    },
  };
}
