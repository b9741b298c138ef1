import { eventually } from './eventually.ts';

test('what the check returns once it no longer throws is the result', async () => {
  let calls = 0;
  const result = await eventually(
    async () => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return calls;
    },
    { everyMs: 1 },
  );
  expect(result).toBe(3);
});

test('the last error is thrown at the deadline', async () => {
  let calls = 0;
  const check = () => {
    calls += 1;
    throw new Error(`call ${calls}`);
  };
  await expect(eventually(check, { deadlineMs: 20, everyMs: 1 })).rejects.toThrow(/^call \d+$/);
  expect(calls).toBeGreaterThan(1);
});
