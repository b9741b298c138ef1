import type { IQueueBackend } from 'bullmq';
import { REST_MS, resilient } from './resilient-backend.ts';

/** A backend whose store can be away, and the calls that reach it. */
function setUp() {
  const state = { calls: [] as string[], isUnreachable: false, takesWork: true };
  const called = (call: string) => {
    state.calls.push(call);
    if (state.isUnreachable) throw new Error('away');
  };
  class Store {
    async moveToActive() {
      called('claim');
      return [null, '', 0, 0];
    }

    async waitForJob() {
      called('wait');
      return null;
    }

    async moveStalledJobsToWait() {
      called('search');
      return ['stalled'];
    }

    async moveToCompleted(_job: object, _value: unknown, _remove: boolean, _token: string, fetchNext: boolean) {
      called(fetchNext ? 'finish and claim' : 'finish');
      return { result: undefined, finishedOn: 0 };
    }

    async disconnectBlocking() {}
  }
  const Backend = resilient(Store as unknown as new () => IQueueBackend, {
    outages: { error() {}, worked() {} },
    takesWork: () => state.takesWork,
    findClaimed: async () => [],
    breaks: () => 0,
  });
  return { state, backend: new Backend() };
}

test('a claim that failed is repeated after its pause, without waiting for the next job first', async () => {
  const { state, backend } = setUp();
  await backend.waitForJob(1);
  state.isUnreachable = true;
  await expect(backend.moveToActive('token')).rejects.toThrow('away');
  await backend.waitForJob(1);
  state.isUnreachable = false;
  await backend.moveToActive('token');
  await backend.waitForJob(1);
  expect(state.calls).toEqual(['wait', 'claim', 'claim', 'wait']);
});

test('a worker that is woken again and again rests in between, so that it takes several jobs at once', async () => {
  const { state, backend } = setUp();
  const startedAt = performance.now();
  await backend.waitForJob(1);
  await backend.waitForJob(1);
  await backend.waitForJob(1);
  expect(state.calls).toEqual(['wait', 'wait', 'wait']);
  // A timer cuts off the fraction of a millisecond of its time, and of the moment from which it counts.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2 * (REST_MS - 2));
});

test('closing ends the rest of a worker', async () => {
  const { state, backend } = setUp();
  await backend.waitForJob(1);
  const resting = backend.waitForJob(1);
  await backend.disconnectBlocking();
  await resting;
  expect(state.calls).toEqual(['wait']);
});

test('a worker that may take no work sends its store nothing but what it has finished', async () => {
  const { state, backend } = setUp();
  state.takesWork = false;
  expect(await backend.moveToActive('token')).toEqual([null, '', 0, 0]);
  expect(await backend.moveStalledJobsToWait()).toEqual([]);
  await backend.moveToCompleted({} as never, 'done', true, 'token', true);
  const waiting = backend.waitForJob(1);
  await backend.disconnectBlocking(); // ends the wait
  await waiting;
  expect(state.calls).toEqual(['finish']);
  state.takesWork = true;
  await backend.moveToActive('token');
  await backend.moveToCompleted({} as never, 'done', true, 'token', true);
  expect(state.calls).toEqual(['finish', 'claim', 'finish and claim']);
});
