import { LRUCache } from 'lru-cache';

/** What came before: enough to know a message again, and whether there was a newer state of its parcel. */
export type Memory = {
  /** Notes an attempt. @returns which of its message it is, 1 = first, and whether one before was accepted. */
  attemptOf(messageId: string | null): { nth: number; isDuplicate: boolean };
  /** Notes that a message was accepted, and the parcel's state in it. */
  accept(messageId: string | null, parcelId: string | null, seq: number | null): void;
  /** The highest number among the accepted events of a parcel; null when there is none. */
  newestSeq(parcelId: string | null): number | null;
};

/** Enough for an afternoon. */
const BOUND = { max: 100_000 };

export function createMemory(): Memory {
  const attempts = new LRUCache<string, number>(BOUND);
  const accepted = new LRUCache<string, true>(BOUND);
  const newest = new LRUCache<string, number>(BOUND);
  return {
    attemptOf(messageId) {
      if (messageId === null) return { nth: 1, isDuplicate: false };
      const nth = (attempts.get(messageId) ?? 0) + 1;
      attempts.set(messageId, nth);
      return { nth, isDuplicate: accepted.has(messageId) };
    },
    accept(messageId, parcelId, seq) {
      if (messageId !== null) accepted.set(messageId, true);
      if (parcelId !== null && seq !== null) newest.set(parcelId, Math.max(seq, newest.get(parcelId) ?? seq));
    },
    newestSeq: (parcelId) => (parcelId === null ? null : (newest.get(parcelId) ?? null)),
  };
}
