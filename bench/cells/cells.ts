import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@pts/embedded/free-port';
import { startHaproxy, type TestHaproxy } from '@pts/testing/servers/haproxy';
import type { Figure } from '../parts/figure.ts';
import { startApp } from '../parts/processes.ts';
import { type Cell, digestOf, startCell } from './cell.ts';
import { tryMove } from './move.ts';
import { tryOneMerchant } from './one-merchant.ts';
import { tryOutage } from './outage.ts';
import { tryRouting, untilServed } from './routing.ts';

/** The bundle of the benchmarks is as deep below the root as this file. */
const CONFIG = resolve(fileURLToPath(import.meta.url), '../../../../examples/cells/haproxy.cfg');

/** Of the router's log, when a trial fails. */
const LOG_LINES = 40;

/**
 * Two installations with servers of their own behind one HAProxy: requests reach the cell of their account, a cell is killed, a
 * merchant uses both, and an account is moved while it is used. Figures of what it costs; it throws if a promise is broken.
 */
export async function benchCells(): Promise<Figure[]> {
  const closers: (() => Promise<void>)[] = [];
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const encryptionKey = randomBytes(32).toString('base64');
  try {
    const sandbox = await startApp('sandbox-carrier', { SANDBOX_SPEED: '10' });
    closers.push(sandbox.stop);
    const cells: Cell[] = [];
    for (const name of ['one', 'two']) {
      const cell = await startCell({ name, publicUrl, carrierUrl: sandbox.url, encryptionKey });
      closers.push(cell.stop);
      cells.push(cell);
    }
    const [one, two] = cells as [Cell, Cell];
    const router = await startHaproxy({
      config: CONFIG,
      port,
      cells: { CELL_ONE: one.address, CELL_TWO: two.address },
      keys: cells.map(({ merchant, name }) => `${digestOf(merchant.apiKey)} ${name}`),
      log: console.error,
    });
    closers.push(router.stop);
    return await tryAll(router, one, two).catch((error: unknown) => {
      throw new Error(
        `${router.output().split('\n').slice(-LOG_LINES).join('\n')}\nthe last lines of HAProxy are above`,
        {
          cause: error,
        },
      );
    });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function tryAll(router: TestHaproxy, one: Cell, two: Cell): Promise<Figure[]> {
  const cells = [one, two];
  for (const cell of cells) await untilServed(router, cell);
  return [
    ...(await tryRouting(router, cells)),
    ...(await tryOutage(router, one, two)),
    ...(await tryOneMerchant(router, cells)),
    // Last, because what it copies keeps the cells busy for a while.
    ...(await tryMove(router, one, two)),
  ];
}
