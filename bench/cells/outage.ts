import assert from 'node:assert/strict';
import { eventually } from '@pts/testing/eventually';
import type { TestHaproxy } from '@pts/testing/servers/haproxy';
import { type Figure, figure } from '../parts/figure.ts';
import { percentile } from '../parts/samples.ts';
import { AWAY, assertServed, callerOf, callFor, failedShare } from './calls.ts';
import type { Cell } from './cell.ts';
import { untilServed } from './routing.ts';

const LOAD = { perSecond: 20, seconds: 10 };

/** A cell is killed and started again: the accounts of the other one notice nothing. @throws if they do */
export async function tryOutage(router: TestHaproxy, healthy: Cell, killed: Cell): Promise<Figure[]> {
  const ours = callerOf(router.url, healthy.merchant.apiKey);
  const theirs = callerOf(router.url, killed.merchant.apiKey);
  const [before, theirsBefore] = await Promise.all([callFor(ours, LOAD), callFor(theirs, LOAD)]);
  assertServed(before);
  assertServed(theirsBefore);
  const running = callFor(ours, { ...LOAD, seconds: 2 });
  await killed.kill();
  assertServed(await running);
  const [during, theirsDuring] = await Promise.all([callFor(ours, LOAD), callFor(theirs, LOAD), worksOn(ours)]);
  assertServed(during);
  // A connection that the router had open to the cell ends with it, and the client's with that one.
  const answers = Object.keys(theirsDuring.answers).filter((answer) => !answer.startsWith('0: '));
  assert.deepEqual(answers, [AWAY]);
  assert.equal((await theirs('GET', '/account')).headers['retry-after'], '5');
  await killed.start();
  await untilServed(router, killed);
  return [
    figure('cells outage errors', failedShare(during), failedShare(before), '% of requests, of the other cell'),
    figure('cells outage p50', percentile(during.ms, 0.5), percentile(before.ms, 0.5), 'ms, of the other cell'),
    figure('cells outage p99', percentile(during.ms, 0.99), percentile(before.ms, 0.99), 'ms, of the other cell'),
  ];
}

/** A parcel that is registered meanwhile is asked about and delivered. */
async function worksOn(call: ReturnType<typeof callerOf>): Promise<void> {
  const number = `SBXEXPRESS${Date.now()}`;
  assert.equal((await call('POST', '/trackings/create', { tracking_number: number })).status, 200);
  await eventually(async () => {
    const { body } = await call('GET', `/trackings/get?tracking_numbers=${number}`);
    assert.notEqual(body.data.success[0].events.length, 0);
  });
}
