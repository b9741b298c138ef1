import { createFairLimiter, type Priority, type PushPermit } from './limiter.ts';

const settle = () => new Promise(setImmediate);

/** Takes places, and records the order in which they were given. */
function taker(total: number) {
  const limiter = createFairLimiter(total);
  const given: string[] = [];
  const places = new Map<string, PushPermit>();
  const take = (name: string, account: string, priority: Priority = 'prompt') =>
    void limiter.take(account, priority).then((place) => {
      given.push(name);
      places.set(name, place);
    });
  const report = async (name: string, what: keyof PushPermit) => {
    places.get(name)?.[what]();
    await settle();
  };
  const release = async (name: string) => {
    await report(name, 'answered');
    await report(name, 'recorded');
  };
  return { take, report, release, given };
}

test('late ones take at most half of the places, and first attempts all', async () => {
  const { take, release, given } = taker(4);
  for (const name of ['l1', 'l2', 'l3']) take(name, 'a', 'late');
  for (const name of ['p1', 'p2', 'p3']) take(name, 'b');
  await settle();
  expect(given).toEqual(['l1', 'l2', 'p1', 'p2']);
  // A place that a late one leaves goes to the first attempt that waits.
  await release('l1');
  expect(given.at(-1)).toBe('p3');
  await release('p3');
  expect(given.at(-1)).toBe('l3');
});

test('waiting accounts take turns, however many deliveries one of them has', async () => {
  const { take, release, given } = taker(1);
  take('first', 'busy');
  for (const name of ['b1', 'b2', 'b3']) take(name, 'busy');
  for (const name of ['q1', 'q2']) take(name, 'quiet');
  take('z1', 'other');
  await settle();
  for (const _ of [1, 2, 3, 4, 5, 6]) await release(given.at(-1) ?? '');
  expect(given).toEqual(['first', 'b1', 'q1', 'z1', 'b2', 'q2', 'b3']);
});

test('attempts that are not recorded yet take no place of others, up to twice the number of places', async () => {
  const { take, report, given } = taker(2);
  const names = ['1', '2', '3', '4', '5', '6'];
  for (const name of names) take(name, 'a');
  await settle();
  for (const name of names) await report(name, 'answered');
  expect(given).toEqual(['1', '2', '3', '4']);
  await report('1', 'recorded');
  expect(given.at(-1)).toBe('5');
  await report('2', 'recorded');
  expect(given.at(-1)).toBe('6');
});
