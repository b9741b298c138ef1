import { createOutcomes } from './outcomes.ts';

test('work fails when all of it has failed since the last look, and until some succeeds', async () => {
  const outcomes = createOutcomes();
  const fail = () => outcomes.run(() => Promise.reject(new Error('no'))).catch(() => {});
  expect(outcomes.isFailing()).toBe(false);
  await fail();
  await fail();
  expect(outcomes.isFailing()).toBe(true);
  // Nothing has ended: an attempt may take longer than the time between two looks.
  expect(outcomes.isFailing()).toBe(true);
  await fail();
  expect(await outcomes.run(async () => 'done')).toBe('done');
  expect(outcomes.isFailing()).toBe(false);
  expect(outcomes.isFailing()).toBe(false);
});
