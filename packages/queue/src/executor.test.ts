import { createExecutor } from './executor.ts';

/** Work that runs until the test ends it. */
function work() {
  let end = () => {};
  const state = { isRunning: false };
  const run = async () => {
    state.isRunning = true;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    state.isRunning = false;
  };
  return { run, state, end: () => end() };
}

const executorOf = (places: number, maxWaiting = 10, errors: Error[] = []) =>
  createExecutor({ places, maxWaiting, onError: (error) => errors.push(error) });

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('jobs and work of the sweep share the places', async () => {
  const executor = executorOf(2);
  const [job, swept, late] = [work(), work(), work()];
  void executor.run(job.run);
  executor.start(swept.run);
  void executor.run(late.run);
  await settled();
  expect([job, swept, late].map(({ state }) => state.isRunning)).toEqual([true, true, false]);
  swept.end();
  await settled();
  expect(late.state.isRunning).toBe(true);
});

test('a job gets its result or its error; the error of other work is reported', async () => {
  const errors: Error[] = [];
  const executor = executorOf(1, 10, errors);
  expect(await executor.run(async () => 7)).toBe(7);
  await expect(executor.run(() => Promise.reject(new Error('of a job')))).rejects.toThrow('of a job');
  executor.start(() => Promise.reject(new Error('of a sweep')));
  await executor.whenFree();
  await settled();
  expect(errors.map(({ message }) => message)).toEqual(['of a sweep']);
});

test('work with the same key runs one after the other, without occupying a place; of started work one waits', async () => {
  const executor = executorOf(2);
  const works = [work(), work(), work(), work(), work()] as const;
  const [job, started, again, otherJob, other] = works;
  void executor.run(job.run, 'endpoint');
  executor.start(started.run, 'endpoint');
  executor.start(again.run, 'endpoint');
  void executor.run(otherJob.run, 'endpoint');
  void executor.run(other.run, 'another endpoint');
  const running = async () => {
    await settled();
    return works.map(({ state }) => state.isRunning);
  };
  expect(await running()).toEqual([true, false, false, false, true]);
  job.end();
  expect(await running()).toEqual([false, true, false, false, true]);
  started.end();
  expect(await running()).toEqual([false, false, false, true, true]);
  executor.start(again.run, 'endpoint');
  otherJob.end();
  expect(await running()).toEqual([false, false, true, false, true]);
  again.end();
  other.end();
  await executor.close();
});

test('work that fails makes way for others with its key', async () => {
  const executor = executorOf(1);
  const failing = executor.run(() => Promise.reject(new Error('PostgreSQL is unreachable')), 'endpoint');
  await expect(failing).rejects.toThrow('PostgreSQL is unreachable');
  expect(await executor.run(async () => 7, 'endpoint')).toBe(7);
});

test('the waiting list is bounded: the rest is left to a later sweep', () => {
  const executor = executorOf(1, 2);
  expect([1, 2, 3, 4].map(() => executor.start(work().run))).toEqual([true, true, true, false]);
});

test('closing accepts no more work, and waits for existing work', async () => {
  const executor = executorOf(1);
  const [first, second] = [work(), work()];
  executor.start(first.run);
  executor.start(second.run);
  await settled();
  let isClosed = false;
  const closing = executor.close().then(() => {
    isClosed = true;
  });
  expect(executor.start(work().run)).toBe(false);
  expect(await executor.whenFree()).toBe(false);
  first.end();
  await settled();
  expect([second.state.isRunning, isClosed]).toEqual([true, false]);
  second.end();
  await closing;
});
