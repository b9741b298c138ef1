import type { Signals } from '@pts/queue/signals';

/** Notifies the streams of this process of first answers: one subscription for all streams. */
export type AnswerHub = {
  /** @returns a function that ends it. */
  listen(onAnswered: (ids: readonly string[]) => void): () => void;
};

export function createAnswerHub(signals: Pick<Signals, 'subscribe'>): AnswerHub {
  const streams = new Set<(ids: readonly string[]) => void>();
  let isSubscribed = false;
  return {
    listen(onAnswered) {
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
