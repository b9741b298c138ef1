import { within } from './pool.ts';

const after = <T>(ms: number, result: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, result));
const never = () => new Promise<never>(() => {});

test('work that ends is not cut short, whether it succeeds or fails', async () => {
  expect(await within(60_000, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
});

test('work that takes too long is given up, with a result or an error', async () => {
  expect(await within(1, never(), () => 'late')).toBe('late');
  const refuse = () => {
    throw new Error('late');
  };
  await expect(within(1, never(), refuse)).rejects.toThrow('late');
});

test('work that ended while the process was busy is in time', async () => {
  const working = within(1, after(2, 'done'), () => 'late');
  for (const until = performance.now() + 5; performance.now() < until; );
  expect(await working).toBe('done');
});
