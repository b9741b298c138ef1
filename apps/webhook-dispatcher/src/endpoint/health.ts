import { GONE_REASON, giveUpReason } from '@pts/core/webhook/health';
import type { Verdict } from '@pts/core/webhook/verdict';
import type { Db } from '@pts/db/connection/client';
import { coalescePending } from '@pts/db/deliveries/pending';
import { disableEndpoint, holdEndpoint, noteFailure, noteRecovery } from '@pts/db/webhooks/health';
import type { FailureLog } from '../attempt/failure-log.ts';

/** A failing endpoint's failures are noted this often: enough to tell an outage of days. */
const NOTE_EVERY_MS = 60_000;

/** What is kept about an endpoint as a whole. */
export type EndpointStore = {
  noteFailure(webhookId: string, now: Date): Promise<Date | null>;
  noteRecovery(webhookId: string): Promise<void>;
  hold(webhookId: string, until: Date): Promise<void>;
  disable(webhookId: string, reason: string, now: Date): Promise<boolean>;
  coalesce(webhookId: string, now: Date): Promise<number>;
};

export function endpointStore(db: Db): EndpointStore {
  return {
    noteFailure: (webhookId, now) => noteFailure(db, webhookId, now),
    noteRecovery: (webhookId) => noteRecovery(db, webhookId),
    hold: (webhookId, until) => holdEndpoint(db, webhookId, until),
    disable: (webhookId, reason, now) => disableEndpoint(db, webhookId, reason, now),
    coalesce: (webhookId, now) => coalescePending(db, webhookId, now),
  };
}

/** Follows an endpoint through the attempts of one drain, and keeps what they say about it as a whole. */
export type HealthWatch = {
  isFailing(): boolean;
  /** Whether nothing more may be sent for now: it asked to be left alone, or is disabled. */
  isClosed(): boolean;
  saw(failingSince: Date | null): void;
  /** Takes in at once what must keep the next push from being sent. */
  hear(verdict: Verdict): void;
  /** Keeps what an attempt, once it is recorded, says about the endpoint. */
  note(verdict: Verdict, now: Date): Promise<void>;
};

export function watchHealth(
  store: EndpointStore,
  { webhookId, isFailing }: { webhookId: string; isFailing: boolean },
  log: Pick<FailureLog, 'disabled'>,
): HealthWatch {
  let failing = isFailing;
  let closed = false;
  let notedAt = 0;
  const disable = async (reason: string, now: Date) => {
    closed = true;
    if (await store.disable(webhookId, reason, now)) log.disabled(webhookId, reason);
  };
  return {
    isFailing: () => failing,
    isClosed: () => closed,
    saw(failingSince) {
      failing = failingSince !== null;
    },
    hear({ isGone, holdUntil }) {
      if (isGone || holdUntil) closed = true;
    },
    async note({ state, isGone, holdUntil }, now) {
      if (state === 'delivered') {
        if (!failing) return;
        failing = false;
        notedAt = 0;
        return store.noteRecovery(webhookId);
      }
      if (isGone) return disable(GONE_REASON, now);
      if (holdUntil) await store.hold(webhookId, holdUntil);
      if (failing && now.getTime() - notedAt < NOTE_EVERY_MS) return;
      failing = true;
      notedAt = now.getTime();
      const since = await store.noteFailure(webhookId, now);
      const reason = since && giveUpReason(since, now);
      if (reason) await disable(reason, now);
    },
  };
}
