import type { Signals } from '@pts/queue/signals';

/** Streams of numbers. */
export const STREAM_TIMES = {
  /** Streams of an account at once, over all replicas. */
  maxConcurrency: 2,
  heartbeatMs: 5000,
  /** How often numbers whose signal was lost are looked up. */
  pollMs: 2000,
  /** A stream ends after this long without an answer. */
  timeoutMs: 120_000,
  /** A reader that reads nothing for this long counts as gone. */
  stalledMs: 60_000,
} as const;

/** Streams of events. */
export const EVENT_STREAMS = {
  /** Streams of an account at once, over all replicas. */
  maxConcurrency: 5,
  maxPerProcess: 1000,
  heartbeatMs: 15_000,
  /** How often events whose signal was lost are looked up. */
  pollMs: 15_000,
  /** A stream ends after this long; its client connects again. */
  lifeMs: 3_600_000,
} as const;

/** Tells a stream when its account has new events. */
export type EventListener = {
  /** Resolves once there is a signal, which it takes (true), after `ms`, or when `ended` aborts. */
  wait(ms: number, ended: AbortSignal): Promise<boolean>;
  close(): void;
};

/** The streams of events of this process: one subscription for all. */
export function createEventHub(signals: Pick<Signals, 'subscribe'>, max: number) {
  const streams = new Map<string, Set<() => void>>();
  let count = 0;
  let isSubscribed = false;
  return {
    /** @returns null if this process has as many streams as it may have. */
    listen(accountId: string): EventListener | null {
      if (count >= max) return null;
      if (!isSubscribed) {
        isSubscribed = true;
        signals.subscribe('events', (accountIds) => {
          for (const id of accountIds) for (const signal of streams.get(id) ?? []) signal();
        });
      }
      const { signal, wait } = createAlarm();
      const own = streams.get(accountId) ?? new Set();
      streams.set(accountId, own.add(signal));
      count += 1;
      return {
        wait,
        close() {
          count -= 1;
          own.delete(signal);
          if (own.size === 0) streams.delete(accountId);
        },
      };
    },
  };
}

function createAlarm() {
  let isSignalled = false;
  let wake = () => {};
  return {
    signal() {
      isSignalled = true;
      wake();
    },
    wait(ms: number, ended: AbortSignal): Promise<boolean> {
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          ended.removeEventListener('abort', done);
          wake = () => {};
          resolve(isSignalled);
          isSignalled = false;
        };
        const timer = setTimeout(done, ms);
        ended.addEventListener('abort', done);
        wake = done;
        if (isSignalled || ended.aborted) done();
      });
    },
  };
}

/** Notifies the streams of this process of first answers: one subscription for all streams. */
export function createAnswerHub(signals: Pick<Signals, 'subscribe'>) {
  const streams = new Set<(ids: readonly string[]) => void>();
  let isSubscribed = false;
  return {
    /** @returns a function that ends it. */
    listen(onAnswered: (ids: readonly string[]) => void): () => void {
      if (!isSubscribed) {
        isSubscribed = true;
        signals.subscribe('answered', (ids) => {
          for (const stream of streams) stream(ids);
        });
      }
      streams.add(onAnswered);
      return () => void streams.delete(onAnswered);
    },
  };
}
