import { createWorkLoop, type WorkLoop } from './loop.ts';

type Item = { id: string; key?: string };

/** A loop whose work runs until the test ends it. */
function loopOf(differs: Partial<Parameters<typeof createWorkLoop<Item>>[0]> = {}) {
  const running = new Map<string, (error?: Error) => void>();
  const [begun, errors, dropped]: [string[], string[], string[]] = [[], [], []];
  const loop: WorkLoop<Item> = createWorkLoop<Item>({
    places: 2,
    maxWaiting: 10,
    keyOf: ({ key = null }) => key,
    run: ({ id }) =>
      new Promise((resolve, reject) => {
        begun.push(id);
        running.set(id, (error) => (error ? reject(error) : resolve()));
      }),
    onError: ({ message }, { id }) => errors.push(`${id}: ${message}`),
    onDropped: async ({ id }) => void dropped.push(id),
    ...differs,
  });
  const end = async (id: string, error?: Error) => {
    running.get(id)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { loop, begun, errors, dropped, end };
}

test('work starts at once while there are places, and then when one becomes free', async () => {
  const { loop, begun, end } = loopOf();
  for (const id of ['1', '2', '3']) expect(loop.start({ id })).toBe(true);
  expect([begun, loop.busy(), loop.waiting('prompt'), loop.room()]).toEqual([['1', '2'], 2, 1, 1]);
  await end('1');
  expect(begun).toEqual(['1', '2', '3']);
});

test('work of one key never runs twice at once: what waits is shared, what runs is repeated once', async () => {
  const { loop, begun, end } = loopOf();
  loop.start({ id: 'first', key: 'endpoint' });
  for (const id of ['second', 'third']) loop.start({ id, key: 'endpoint' });
  loop.start({ id: 'other', key: 'another endpoint' });
  expect(begun).toEqual(['first', 'other']);
  loop.start({ id: 'waits', key: 'a third' });
  loop.start({ id: 'is shared', key: 'a third' });
  await end('first');
  await end('other');
  expect(begun).toEqual(['first', 'other', 'waits', 'third']);
  await end('third');
  loop.start({ id: 'again', key: 'endpoint' });
  expect(begun.at(-1)).toBe('again');
});

test('late work uses its part of the places, goes after prompt work, and still gets every third place', async () => {
  const { loop, begun, end } = loopOf({ latePlaces: 1 });
  for (const id of ['late 1', 'late 2', 'late 3']) loop.start({ id }, 'late');
  expect([begun, loop.hasFree('late'), loop.hasFree('prompt')]).toEqual([['late 1'], false, true]);
  for (const id of ['1', '2', '3', '4']) loop.start({ id });
  await end('late 1');
  for (const id of ['1', '2', '3']) await end(id);
  expect(begun).toEqual(['late 1', '1', '2', 'late 2', '3', '4']);
});

test('an error is reported with its item, and the place is free again, also for its key', async () => {
  const { loop, begun, errors, end } = loopOf({ places: 1 });
  loop.start({ id: '1', key: 'endpoint' });
  await end('1', new Error('PostgreSQL is unreachable'));
  loop.start({ id: '2', key: 'endpoint' });
  expect([errors, begun]).toEqual([['1: PostgreSQL is unreachable'], ['1', '2']]);
});

test('the waiting list is bounded: the rest is left to a sweep, which waits for room', async () => {
  const { loop, end } = loopOf({ places: 1, maxWaiting: 2 });
  expect(['1', '2', '3', '4'].map((id) => loop.start({ id }))).toEqual([true, true, true, false]);
  expect(await loop.whenRoom(1)).toBe(false);
  const room = loop.whenRoom(60_000);
  await end('1');
  await end('2');
  expect(await room).toBe(true);
});

test('a sweep gets room for half of the places, not for each item that ends, and none of them idles meanwhile', async () => {
  const { loop, begun, end } = loopOf({ places: 4 });
  for (let id = 1; id <= 8; id++) loop.start({ id: `${id}` }, 'late');
  const room = loop.whenRoom(60_000);
  let isRoom = false;
  void room.then(() => {
    isRoom = true;
  });
  await end('1');
  expect([loop.room(), loop.busy(), isRoom]).toEqual([1, 4, false]);
  await end('2');
  expect([await room, loop.room(), loop.busy(), begun.length]).toEqual([true, 2, 4, 6]);
});

test('closing drops what waits, accepts nothing more, and waits for what runs', async () => {
  const { loop, begun, dropped, end } = loopOf({ places: 1 });
  for (const id of ['1', '2']) loop.start({ id });
  let isClosed = false;
  const closing = loop.close().then(() => {
    isClosed = true;
  });
  expect([loop.start({ id: '3' }), await loop.whenRoom(60_000)]).toEqual([false, false]);
  expect([dropped, isClosed]).toEqual([['2'], false]);
  await end('1');
  await closing;
  expect(begun).toEqual(['1']);
});
