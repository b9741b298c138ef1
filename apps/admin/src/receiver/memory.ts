import { LRUCache } from 'lru-cache';

/** Records earlier pushes, to detect duplicates and outdated states. */
export type Memory = {
  /** Records an attempt. @returns its number within its message, from 1, and whether an earlier one was accepted. */
  attemptOf(messageId: string | null): { nth: number; isDuplicate: boolean };
  /** Records an accepted message and the parcel's state in it. */
  accept(messageId: string | null, parcelId: string | null, seq: number | null): void;
  /** The highest `seq` among the accepted events of a parcel; null if there is none. */
  newestSeq(parcelId: string | null): number | null;
};

/** Enough for hours of testing. */
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
