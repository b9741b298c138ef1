import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { eventually } from '@pts/testing/eventually';
import { createBreaker, StoreUnreachableError } from './breaker.ts';
import { createOutageLog } from './outage-log.ts';

/** A store that answers, refuses, or stays silent, and counts its calls. */
function store() {
  let state: 'open' | 'refuses' | 'silent' = 'open';
  const requested = { calls: 0, probes: 0 };
  const answer = () => {
    if (state === 'open') return Promise.resolve('ok');
    return state === 'refuses' ? Promise.reject(new Error('refused')) : new Promise<never>(() => {});
  };
  const reported: string[] = [];
  const breaker = createBreaker({
    patienceMs: 20,
    probe: () => {
      requested.probes += 1;
      return answer();
    },
    outages: createOutageLog({ onError: (error) => reported.push(error.message) }),
  });
  const call = () =>
    breaker.run(() => {
      requested.calls += 1;
      return answer();
    });
  const set = (next: typeof state) => {
    state = next;
  };
  return { breaker, call, set, requested, reported };
}

test.each(['refuses', 'silent'] as const)(
  'a store that is %s is called once, and then only by probes',
  async (state) => {
    const { breaker, call, set, requested, reported } = store();
    await call();
    set(state);
    await expect(call()).rejects.toThrow(state === 'refuses' ? 'refused' : 'the store did not answer within 20 ms');
    for (let n = 0; n < 100; n++) await expect(call()).rejects.toThrow(StoreUnreachableError);
    expect(requested.calls).toBe(2);
    await eventually(() => expect(requested.probes).toBeGreaterThan(0));
    expect(reported).toHaveLength(1);
    breaker.close();
  },
);

test('a store that answers again is used again', async () => {
  const { breaker, call, set } = store();
  set('refuses');
  await expect(call()).rejects.toThrow('refused');
  expect(breaker.isOpen()).toBe(true);
  set('open');
  await eventually(() => expect(breaker.isOpen()).toBe(false));
  expect(await call()).toBe('ok');
  breaker.close();
});

test('until it has answered once, a slow store gets more time: the first calls open its connections', async () => {
  const reported: string[] = [];
  const outages = createOutageLog({ onError: (error) => reported.push(error.message) });
  const breaker = createBreaker({ patienceMs: 20, firstPatienceMs: 60_000, probe: async () => {}, outages });
  let answer = (_: string) => {};
  const slow = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const first = breaker.run(() => slow);
  // Once another breaker's timer has ended, one of the later patience would have ended too.
  const impatient = createBreaker({
    patienceMs: 20,
    probe: async () => {},
    outages: createOutageLog({ onError: () => {} }),
  });
  await expect(impatient.run(() => new Promise(() => {}))).rejects.toThrow('within 20 ms');
  answer('ok');
  expect(await first).toBe('ok');
  expect(reported).toEqual([]);
  impatient.close();
  await expect(breaker.run(() => new Promise(() => {}))).rejects.toThrow('within 20 ms');
  breaker.close();
});

test('an answer that arrived while the process was busy counts as in time', async () => {
  const { breaker } = store();
  const { port1, port2 } = new MessageChannel();
  // From here on, Node runs timers before it receives anything.
  await new Promise(setImmediate);
  const answered = breaker.run(() => once(port1, 'message'));
  // It arrives at once, and not only when a thread of Node gets to run.
  port2.postMessage('ok');
  for (const until = performance.now() + 60; performance.now() < until; );
  expect(await answered).toEqual(['ok']);
  breaker.close();
  port1.close();
});
