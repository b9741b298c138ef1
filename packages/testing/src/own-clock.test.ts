import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { ownTimeOf, startOwnClock } from './own-clock.ts';

test('time during which the process is not scheduled hardly counts', async () => {
  const clock = startOwnClock();
  for (const end = performance.now() + 400; performance.now() < end; );
  while (clock.now() === 0) await turn();
  expect(clock.now()).toBeLessThanOrEqual(40);
  clock.stop();
});

test('waiting counts, so that work that hangs exceeds any bound', async () => {
  const clock = startOwnClock();
  const took = await ownTimeOf(() => eventually(() => expect(clock.now()).toBeGreaterThan(100)));
  clock.stop();
  expect(took).toBeGreaterThan(0);
});
