import type { Logger } from '../logger.ts';
import { type Loop, pauseAfter, startLoop } from './loop.ts';

const NEVER_MS = 1_000_000;
const errors: { err: Error; loop: string }[] = [];
const recoveries: { loop: string; failures: number }[] = [];
const logger = {
  error: (fields: (typeof errors)[number]) => errors.push(fields),
  info: (fields: (typeof recoveries)[number]) => recoveries.push(fields),
} as unknown as Logger;
const loops: Loop[] = [];

beforeEach(() => {
  errors.length = 0;
  recoveries.length = 0;
});
afterEach(() => Promise.all(loops.splice(0).map((loop) => loop.stop())));

/** Runs `round` until it was called `times` times. `intervalMs` is the time between two rounds. */
function rounds(
  times: number,
  intervalMs: number,
  round: (call: number) => Promise<{ more: boolean; pauseMs?: number }>,
): Promise<Loop> {
  return new Promise((resolve) => {
    let call = 0;
    const loop = startLoop('test', intervalMs, logger, () => {
      call += 1;
      if (call >= times) setImmediate(() => resolve(loop));
      return round(call);
    });
    loops.push(loop);
  });
}

/** Running work that the test ends. */
function openWork() {
  let end = () => {};
  const work = new Promise<{ more: boolean }>((resolve) => {
    end = () => resolve({ more: false });
  });
  return { work, end };
}

test('the first round runs at once', async () => {
  await rounds(1, NEVER_MS, async () => ({ more: false }));
});

test('rounds follow each other after the interval', async () => {
  await rounds(3, 1, async () => ({ more: false }));
});

test('rounds follow each other after the pause that a round asks for', async () => {
  await rounds(3, NEVER_MS, async () => ({ more: false, pauseMs: 1 }));
});

test('while there is more to do, the next round runs at once', async () => {
  await rounds(5, NEVER_MS, async (call) => ({ more: call < 5 }));
});

test('a round that throws is followed by the next; an outage is logged when it begins and when it ends', async () => {
  await rounds(4, 1, async (call) => {
    if (call < 3) throw new Error(`round ${call}`);
    return { more: false };
  });
  expect(errors.map(({ err, loop }) => [err.message, loop])).toEqual([['round 1', 'test']]);
  expect(recoveries).toMatchObject([{ loop: 'test', failures: 2 }]);
});

test('failing rounds run at growing intervals, up to five seconds or their own interval', () => {
  expect([0, 1, 2, 3, 4, 100].map((failures) => pauseAfter(failures, 1000))).toEqual([
    1000, 2000, 4000, 5000, 5000, 5000,
  ]);
  expect([0, 1, 100].map((failures) => pauseAfter(failures, 60_000))).toEqual([60_000, 60_000, 60_000]);
});

test('a round that throws before it awaits anything is followed by the next, too', async () => {
  await rounds(2, 1, (call) => {
    if (call === 1) throw new Error('at once');
    return Promise.resolve({ more: false });
  });
  expect(errors.map(({ err }) => err.message)).toEqual(['at once']);
});

test('stopping waits for the running round, and none follows', async () => {
  const { work, end } = openWork();
  let calls = 0;
  const loop = await rounds(1, 1, () => {
    calls += 1;
    return work;
  });
  const order: string[] = [];
  const stopped = loop.stop().then(() => order.push('stopped'));
  await new Promise((resolve) => setImmediate(resolve));
  order.push('work ends');
  end();
  await stopped;
  expect(order).toEqual(['work ends', 'stopped']);
  expect(calls).toBe(1);
});

test('stopping does not wait for the next round', async () => {
  const loop = await rounds(1, NEVER_MS, async () => ({ more: false }));
  await loop.stop();
});

test('a loop is alive while a round does not take too long', async () => {
  const { work, end } = openWork();
  const loop = await rounds(2, 1, (call) => (call < 2 ? Promise.resolve({ more: false }) : work));
  expect([loop.isAlive(NEVER_MS), loop.isAlive(0)]).toEqual([true, false]);
  end();
});

test('a loop is alive between two rounds, however far apart they are', async () => {
  const loop = await rounds(1, NEVER_MS, async () => ({ more: false }));
  await Promise.resolve();
  expect(loop.isAlive(0)).toBe(true);
});
