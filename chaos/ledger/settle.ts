import { setTimeout as delay } from 'node:timers/promises';
import { endOf } from '../load/parcels.ts';
import { rowsOf } from '../world/postgres.ts';
import type { World } from '../world/world.ts';

const EVERY_MS = 500;

type Settling = { postgres: Pick<World['postgres'], 'directUrl'>; receivers: Pick<World['receivers'], 'pushes'> };

/**
 * Waits until every journey has ended and nothing is pending, or until nothing has changed for `patienceSeconds`.
 * @returns what is unfinished then.
 */
export async function settle(
  { postgres, receivers }: Settling,
  patienceSeconds: number,
): Promise<{ parcels: number; deliveries: number }> {
  let last = '';
  let movedAt = performance.now();
  for (; ; await delay(EVERY_MS)) {
    const parcels = await rowsOf<{ number: string; state: string }>(
      postgres.directUrl,
      'SELECT tracking_number AS number, sub_status AS state FROM trackings',
    );
    const [pending] = await rowsOf<{ count: number }>(
      postgres.directUrl,
      "SELECT count(*)::int AS count FROM deliveries WHERE state = 'owed'",
    );
    const left = {
      parcels: parcels.filter(({ number, state }) => state !== endOf(number)).length,
      deliveries: pending?.count ?? 0,
    };
    if (left.parcels === 0 && left.deliveries === 0) return left;
    const now = `${left.parcels} ${left.deliveries} ${receivers.pushes.length}`;
    if (now !== last) movedAt = performance.now();
    last = now;
    if (performance.now() - movedAt > patienceSeconds * 1000) return left;
  }
}
