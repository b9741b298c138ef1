import { getEventListeners } from 'node:events';
import { unlessStopped } from './unless-stopped.ts';

const never = () => new Promise<string>(() => {});

test('calls have their own results until the signal is aborted', async () => {
  const { signal } = new AbortController();
  expect(await unlessStopped(signal, async () => 'result')).toBe('result');
  await expect(unlessStopped(signal, () => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
});

test('once it is aborted, running calls end with null at once, and others do not start', async () => {
  const stopping = new AbortController();
  const running = Promise.all([unlessStopped(stopping.signal, never), unlessStopped(stopping.signal, never)]);
  stopping.abort();
  expect(await running).toEqual([null, null]);
  let calls = 0;
  const counted = async () => {
    calls += 1;
  };
  expect(await unlessStopped(stopping.signal, counted)).toBeNull();
  expect(calls).toBe(0);
});

test('a call that hears the signal itself and answers ends with null as well', async () => {
  const stopping = new AbortController();
  const answersWhenAborted = () =>
    new Promise<string>((resolve) => stopping.signal.addEventListener('abort', () => resolve('aborted')));
  const running = unlessStopped(stopping.signal, answersWhenAborted);
  stopping.abort();
  expect(await running).toBeNull();
});

test('any number of calls uses one listener of the signal', () => {
  const { signal } = new AbortController();
  for (let n = 0; n < 100; n++) void unlessStopped(signal, never);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});
