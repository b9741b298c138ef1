import type { ServerResponse } from 'node:http';
import { createPacer } from './pacer.ts';
import { answer, type Respond, refuse, withLocalApi } from './testing/local-api.ts';

const response = (limit: number, remaining: number, reset = 1) =>
  new Response('', {
    headers: { 'ratelimit-limit': `${limit}`, 'ratelimit-remaining': `${remaining}`, 'ratelimit-reset': `${reset}` },
  });

/** A pacer on a clock of its own, which moves only by `sleep`. */
function pacerAt(start = 0) {
  let clock = start;
  const pacer = createPacer(
    async (ms) => {
      clock += ms;
    },
    () => clock,
  );
  return { ...pacer, now: () => clock };
}

test('no second holds more requests than the limit', async () => {
  const { take, learn, now } = pacerAt();
  const sent: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    await take('a', undefined);
    sent.push(now());
    learn('a', response(3, 1));
  }
  expect(sent).toEqual([0, 0, 0, 1100, 1100, 1100, 2200]);
});

test('if others used the limit, the service says how long to wait', async () => {
  const { take, learn, now } = pacerAt();
  await take('a', undefined);
  learn('a', response(10, 0, 4));
  await take('a', undefined);
  expect(now()).toBe(4000);
});

test('a limit delays only requests that count against it', async () => {
  const { take, learn, now } = pacerAt();
  await take('a', undefined);
  learn('a', response(1, 0));
  await take('b', undefined);
  expect(now()).toBe(0);
});

test('until the limit is known, one request goes ahead and the others wait for its answer', async () => {
  const { take, learn } = pacerAt();
  const gone: number[] = [];
  await take('a', undefined);
  const others = [1, 2, 3].map((n) => take('a', undefined).then(() => gone.push(n)));
  learn('a', null); // it got lost: another goes ahead
  await Promise.race(others);
  expect(gone).toEqual([1]);
  learn('a', new Response(''));
  await Promise.all(others);
  expect(gone).toEqual([1, 2, 3]);
});

test('the signal ends the wait for the first answer', async () => {
  const { take } = pacerAt();
  await take('a', undefined);
  const leaving = new AbortController();
  const waiting = take('a', leaving.signal);
  leaving.abort(new Error('the user left'));
  await expect(waiting).rejects.toThrow('the user left');
});

/** A service that refuses more than 3 requests until the client has waited. */
function limited(isOver: (nth: number) => boolean): Respond {
  return (response: ServerResponse, nth) => {
    const headers = { 'ratelimit-limit': '3', 'ratelimit-remaining': '1', 'ratelimit-reset': '1' };
    if (isOver(nth)) return refuse(response, 429, 429, { 'retry-after': '120', ...headers });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(response, {});
  };
}

test('a fast client is kept below the limit; without pacing, it gets the 429', async () => {
  const hurry = async (pace: boolean) => {
    let waited: number[] = [];
    // Requests that are held up for a second need no wait, and this service counts no seconds.
    const { now } = performance;
    performance.now = () => 0;
    await withLocalApi(
      limited((nth) => nth === 4 && waited.length === 0),
      async ({ client, waits }) => {
        waited = waits;
        await Promise.all(Array.from({ length: 5 }, (_, n) => client.trackings.create(`SBX${n}`)));
      },
      { pace },
    ).finally(() => {
      performance.now = now;
    });
    return waited;
  };
  expect(await hurry(true)).toEqual([1100, 1100]);
  expect(await hurry(false)).toEqual([120_500]);
});
