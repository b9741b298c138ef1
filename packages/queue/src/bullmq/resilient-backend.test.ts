import type { IQueueBackend } from 'bullmq';
import { resilient } from './resilient-backend.ts';

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

    async disconnectBlocking() {}
  }
  const outages = { error() {}, worked() {} };
  const Backend = resilient(Store as unknown as new () => IQueueBackend, outages, () => state.takesWork);
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

test('a worker that may take no work asks its store for none', async () => {
  const { state, backend } = setUp();
  state.takesWork = false;
  expect(await backend.moveToActive('token')).toEqual([null, '', 0, 0]);
  const waiting = backend.waitForJob(1);
  await backend.disconnectBlocking(); // ends the wait
  await waiting;
  expect(state.calls).toEqual([]);
  state.takesWork = true;
  await backend.moveToActive('token');
  expect(state.calls).toEqual(['claim']);
});
