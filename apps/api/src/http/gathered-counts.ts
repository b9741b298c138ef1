import { createKeyedBatcher } from '@pts/db/connection/batcher';
import { RateLimiterRes } from 'rate-limiter-flexible';

/** Counts a request of a key. @returns the window's state, rejected with it when the request is one too many. */
export type Counter = { consume(key: string): Promise<RateLimiterRes> };
type Store = { consume(key: string, points: number): Promise<RateLimiterRes> };

type Guard = <T>(call: () => Promise<T>) => Promise<T>;

/** The most requests that are counted at once. */
const MOST = 1000;

/**
 * Counts requests of one key together that arrive while the store still counts earlier ones: a busy account costs the store a
 * statement for many requests. Each request gets the state that it would have got alone, in the order of arrival.
 * @param points the requests that a window allows.
 * @param guard runs each call to the store, and may abort it: then its requests fail.
 */
export function gathered(store: Store, points: number, guard: Guard = (call) => call()): Counter {
  const count = createKeyedBatcher({ most: MOST, atOnce: 1 }, async (key, requests: object[]) => {
    const last = await guard(() => stateAfter(store, key, requests.length));
    return requests.map((_, place) => {
      const consumed = last.consumedPoints - (requests.length - 1 - place);
      return new RateLimiterRes(Math.max(0, points - consumed), last.msBeforeNext, consumed, consumed === 1);
    });
  });
  return {
    consume: async (key) => {
      const state = await count(key, {});
      if (state.consumedPoints > points) throw state;
      return state;
    },
  };
}

async function stateAfter(store: Store, key: string, requests: number): Promise<RateLimiterRes> {
  try {
    return await store.consume(key, requests);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  }
}
