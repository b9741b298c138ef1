import type { Store } from '@pts/queue/connection';
import { testServer } from './servers/servers-env.ts';

/** Both stores of the queue, for `describe.each(stores())`: what uses the queue is tested on each. */
export function stores(): Store[] {
  return ['redis', 'postgres'];
}

/** The `REDIS_URL` for a store: the tests' Redis, or none. */
export function redisUrlOn(store: Store): string | undefined {
  return store === 'redis' ? testServer('TEST_REDIS_URL') : undefined;
}
