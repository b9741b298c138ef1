/** What came before: enough to know a message again, and whether there was a newer state of its parcel. */
export type Memory = {
  /** Notes an attempt. @returns which of its message it is, 1 = first, and whether one before was accepted. */
  attemptOf(messageId: string | null): { nth: number; isDuplicate: boolean };
  /** Notes that a message was accepted, and the parcel's state in it. */
  accept(messageId: string | null, parcelId: string | null, seq: number | null): void;
  /** The highest number among the accepted events of a parcel; null when there is none. */
  newestSeq(parcelId: string | null): number | null;
};

/** Enough for an afternoon, and bounded: the oldest go first. */
const MOST_REMEMBERED = 100_000;

export function createMemory(): Memory {
  const attempts = new Map<string, number>();
  const accepted = new Map<string, true>();
  const newest = new Map<string, number>();
  return {
    attemptOf(messageId) {
      if (messageId === null) return { nth: 1, isDuplicate: false };
      const nth = (attempts.get(messageId) ?? 0) + 1;
      remember(attempts, messageId, nth);
      return { nth, isDuplicate: accepted.has(messageId) };
    },
    accept(messageId, parcelId, seq) {
      if (messageId !== null) remember(accepted, messageId, true);
      if (parcelId !== null && seq !== null) remember(newest, parcelId, Math.max(seq, newest.get(parcelId) ?? seq));
    },
    newestSeq: (parcelId) => (parcelId === null ? null : (newest.get(parcelId) ?? null)),
  };
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
