import { GONE_REASON, giveUpReason } from '@pts/core/webhook/health';
import type { Verdict } from '@pts/core/webhook/verdict';
import type { Db } from '@pts/db/connection/client';
import { supersedePending } from '@pts/db/deliveries/pending';
import { disableEndpoint, holdEndpoint, noteFailure, noteRecovery } from '@pts/db/webhooks/health';
import type { FailureLog } from '../attempt/failure-log.ts';

/** How often failures of a failing endpoint are recorded: enough to detect an outage of days. */
const NOTE_EVERY_MS = 60_000;

/** The stored health of an endpoint. */
export type EndpointStore = {
  noteFailure(webhookId: string, now: Date): Promise<Date | null>;
  noteRecovery(webhookId: string): Promise<void>;
  hold(webhookId: string, until: Date): Promise<void>;
  disable(webhookId: string, reason: string, now: Date): Promise<boolean>;
  supersede(webhookId: string, now: Date): Promise<number>;
};

export function endpointStore(db: Db): EndpointStore {
  return {
    noteFailure: (webhookId, now) => noteFailure(db, webhookId, now),
    noteRecovery: (webhookId) => noteRecovery(db, webhookId),
    hold: (webhookId, until) => holdEndpoint(db, webhookId, until),
    disable: (webhookId, reason, now) => disableEndpoint(db, webhookId, reason, now),
    supersede: (webhookId, now) => supersedePending(db, webhookId, now),
  };
}

/** Tracks the health of an endpoint over the attempts of one drain, and stores it. */
export type HealthWatch = {
  isFailing(): boolean;
  /** Whether sending must stop: the endpoint asked to wait (Retry-After) or is disabled. */
  isClosed(): boolean;
  /** What is stored of it, as a page of its deliveries says. */
  loaded(failingSince: Date | null): void;
  /** Prevents the next push at once if the receiver is gone or asks to wait. */
  closeIfTold(verdict: Verdict): void;
  /** Stores the effect of a recorded attempt on the endpoint. */
  store(verdict: Verdict, now: Date): Promise<void>;
};

export function watchHealth(
  endpoints: EndpointStore,
  { webhookId, isFailing }: { webhookId: string; isFailing: boolean },
  log: Pick<FailureLog, 'disabled'>,
): HealthWatch {
  let failing = isFailing;
  let closed = false;
  let notedAt = 0;
  const disable = async (reason: string, now: Date) => {
    closed = true;
    if (await endpoints.disable(webhookId, reason, now)) log.disabled(webhookId, reason);
  };
  return {
    isFailing: () => failing,
    isClosed: () => closed,
    loaded(failingSince) {
      failing = failingSince !== null;
    },
    closeIfTold({ isGone, holdUntil }) {
      if (isGone || holdUntil) closed = true;
    },
    async store({ state, isGone, holdUntil }, now) {
      if (state === 'delivered') {
        if (!failing) return;
        failing = false;
        notedAt = 0;
        return endpoints.noteRecovery(webhookId);
      }
      if (isGone) return disable(GONE_REASON, now);
      if (holdUntil) await endpoints.hold(webhookId, holdUntil);
      if (failing && now.getTime() - notedAt < NOTE_EVERY_MS) return;
      failing = true;
      notedAt = now.getTime();
      const since = await endpoints.noteFailure(webhookId, now);
      const reason = since && giveUpReason(since, now);
      if (reason) await disable(reason, now);
    },
  };
}
