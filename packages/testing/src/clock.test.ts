import { ownTimeOf, startOwnClock } from './clock.ts';
import { eventually } from './eventually.ts';

test('time during which the process is not scheduled hardly counts', async () => {
  const clock = startOwnClock();
  for (const end = performance.now() + 400; performance.now() < end; );
  // Node runs immediates after the clock's first tick and before its second one, wherever the process is paused.
  while (clock.now() === 0) await new Promise(setImmediate);
  expect(clock.now()).toBeLessThanOrEqual(40);
  clock.stop();
});

test('waiting counts, so that work that hangs exceeds any bound', async () => {
  const clock = startOwnClock();
  const took = await ownTimeOf(() => eventually(() => expect(clock.now()).toBeGreaterThan(100)));
  clock.stop();
  expect(took).toBeGreaterThan(0);
});
