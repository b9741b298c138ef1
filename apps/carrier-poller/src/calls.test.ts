import { createCalls } from './pace.ts';

test('calls at once are averaged over the time between two looks', async () => {
  let atMs = 0;
  const calls = createCalls(() => atMs);
  const start = () => {
    let end = () => {};
    const done = calls.count(() => new Promise<void>((resolve) => (end = resolve)));
    return async () => {
      end();
      await done;
    };
  };
  const [endOne, endOther] = [start(), start()];
  atMs = 5;
  await endOne();
  atMs = 10;
  expect(calls.look()).toBe(1.5);
  atMs = 20;
  expect(calls.look()).toBe(1);
  await endOther();
  atMs = 30;
  expect(calls.look()).toBe(0);
});
