import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { eventually } from '@pts/testing/eventually';
import { numbers, ofType, startTestStreams, summary, type TestStream } from '../testing/test-streams.ts';

// None of this depends on the store of the queue.
let streams: Awaited<ReturnType<typeof startTestStreams>>;
beforeEach(async () => {
  streams = await startTestStreams('postgres');
}, 30_000);
afterEach(() => streams.close(), 30_000);

const errorsOf = (stream: TestStream) =>
  (ofType(stream, 'error') as { index: number; errorCode: number; errorMessage: string }[]).map(
    ({ index, errorCode, errorMessage }) => [index, errorCode, errorMessage],
  );

test('invalid numbers are reported with their index; duplicates and known numbers are answered and charged once', async () => {
  const { id, key } = await streams.api.account();
  await streams.api.call('POST', '/trackings/create', { key, body: { tracking_number: 'YT8800000000001' } });
  await streams.answer();
  const stop = streams.answering();
  const text = [
    'YT8800000000001',
    '??',
    '{"tracking_number":"YT8800000000002","courier_code":"nobody"}',
    '{broken',
    'YT8800000000003',
    'YT8800000000003',
    '7',
    'x'.repeat(17_000),
  ];
  const stream = await streams.whole(key, text.join('\n'));
  await stop();
  const errors = ofType(stream, 'error') as {
    index: number;
    field: string | null;
    errorCode: number;
    docs_url: string;
  }[];
  for (const { errorCode, docs_url } of errors) expect(docs_url).toBe(`${streams.api.url}/docs/errors/${errorCode}`);
  expect(errors.map(({ index, field, errorCode }) => [index, field, errorCode]).sort()).toEqual([
    [1, 'tracking_number', 4110],
    [2, 'courier_code', 4120],
    [3, null, 400],
    [6, 'tracking_number', 4110],
    [7, null, 400],
  ]);
  const answered = ofType(stream, 'tracking') as { index: number }[];
  expect(answered.map(({ index }) => index).sort()).toEqual([0, 4, 5]);
  expect(summary(stream)).toMatchObject({ requested: 8, accepted: 3, answered: 3, failed: 5 });
  expect(await streams.api.db.quotaUsage.findFirst({ where: { accountId: id } })).toMatchObject({ used: 2 });
});

test('if the quota ends in the middle, as many as fit are registered in order, the others are refused', async () => {
  const { id, key } = await streams.api.account({ quota: 7 });
  await streams.api.call('POST', '/trackings/create', { key, body: { tracking_number: numbers(10)[9] } });
  const stop = streams.answering();
  const stream = await streams.whole(key, numbers(12).join('\n'));
  await stop();
  const answered = ofType(stream, 'tracking') as { index: number }[];
  expect(answered.map(({ index }) => index).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 9]);
  expect((ofType(stream, 'error') as { errorCode: number }[]).every(({ errorCode }) => errorCode === 4190)).toBe(true);
  expect(await streams.api.db.quotaUsage.findFirst({ where: { accountId: id } })).toMatchObject({ used: 7 });
});

test('while a reader is behind, its input is not read; nothing is lost once it continues', async () => {
  const { id, key } = await streams.api.account({ plan: 'enterprise' });
  const stop = streams.answering();
  const stream = await streams.open(key, { paused: true });
  // Large answers, so that few of them fill the buffers in between.
  const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key${i}`, 'x'.repeat(250)]));
  const wide = (tracking_number: string) => JSON.stringify({ tracking_number, metadata });
  stream.send(`${numbers(4000).map(wide).join('\n')}\n`);
  stream.finish();
  const registered = () => streams.api.db.tracking.count({ where: { accountId: id } });
  const standsStill = async () => {
    const before = await registered();
    expect(before).toBeGreaterThan(0);
    // Many times as long as further registrations take: a slow machine slows down both.
    for (let look = 0; look < 100; look++) expect(await registered()).toBe(before);
    return before;
  };
  expect(await eventually(standsStill)).toBeLessThan(4000);
  const lines: string[] = [];
  const reader = createInterface({ input: stream.response });
  reader.on('line', (line) => lines.push(line));
  await once(reader, 'close');
  await stop();
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'summary', answered: 4000, timed_out: 0 });
  const answered = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'tracking');
  expect(new Set(answered.map(({ index }) => index)).size).toBe(4000);
}, 90_000);

describe('is refused before its first byte', () => {
  test.each<[string, string, string, number]>([
    ['another type', 'text/plain', 'YT1', 415],
    ['broken JSON', 'application/json', '{', 400],
    ['no list', 'application/json', '{}', 4111],
    ['an empty list', 'application/json', '{"tracking_numbers":[]}', 4111],
    ['too many', 'application/json', JSON.stringify(numbers(10_001)), 4103],
    ['too much', 'application/json', `["${'x'.repeat(700_000)}"]`, 413],
    ['too deep', 'application/json', '['.repeat(1000), 400],
  ])('with %s', async (_what, type, raw, number) => {
    const { key } = await streams.api.account();
    const { body } = await streams.api.call('POST', '/track/batch-stream', {
      key,
      raw,
      headers: { 'Content-Type': type },
    });
    expect(body.code).toBe(number);
    expect(await streams.api.db.tracking.count()).toBe(0);
  });

  test('without a key', async () => {
    expect((await streams.api.call('POST', '/track/batch-stream', { body: {} })).body.code).toBe(401);
  });
});

test('a list of 10,001 numbers is refused as a whole, and the message says so', async () => {
  const { key } = await streams.api.account();
  const body = { tracking_numbers: numbers(10_001) };
  const { body: refused } = await streams.api.call('POST', '/track/batch-stream', { key, body });
  expect(refused.message).toBe(
    'A stream takes at most 10,000 tracking numbers. Nothing was registered and no quota was used.',
  );
});

test('line 10,001 is refused, and those before it are registered', async () => {
  const { key } = await streams.api.account({ plan: 'enterprise' });
  const stop = streams.answering();
  const text = `${numbers(1)[0]}\n`.repeat(10_001);
  const stream = await streams.whole(key, text);
  await stop();
  expect(ofType(stream, 'error')).toMatchObject([
    { index: 10_000, errorCode: 4103, errorMessage: expect.stringContaining('The rest was not registered') },
  ]);
  expect(summary(stream)).toMatchObject({ accepted: 10_000, answered: 10_000, failed: 1 });
}, 60_000);

test('lines that are too long or too deep are reported as errors, and the stream continues', async () => {
  const { key } = await streams.api.account();
  const stop = streams.answering();
  const lines = ['x'.repeat(100_000), '['.repeat(10_000), `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, ...numbers(1)];
  const stream = await streams.whole(key, lines.join('\n'));
  await stop();
  expect(errorsOf(stream)).toEqual([
    [0, 400, expect.stringContaining('longer than 16 KiB')],
    [1, 400, expect.stringContaining('more than 32 levels')],
    [2, 400, expect.stringContaining('more than 32 levels')],
  ]);
  expect(summary(stream)).toMatchObject({ requested: 4, accepted: 1, answered: 1, failed: 3 });
});

test('after 1,000 unreadable lines the rest is not read, and accepted numbers get answers', async () => {
  const { id, key } = await streams.api.account();
  const stop = streams.answering();
  const stream = await streams.whole(key, `${numbers(1)[0]}\n${'{broken\n'.repeat(1000)}${numbers(1, 1)[0]}\n`);
  await stop();
  expect(errorsOf(stream)).toHaveLength(1001);
  expect(errorsOf(stream).at(-1)).toEqual([1001, 400, expect.stringMatching(/^1,000 lines could not be read/)]);
  expect(summary(stream)).toMatchObject({ accepted: 1, answered: 1, failed: 1001 });
  expect(await streams.api.db.tracking.count({ where: { accountId: id } })).toBe(1);
});

test('a stream of more than 16 MiB ends with an error, and no part of a line is read as a line', async () => {
  const { id, key } = await streams.api.account();
  const stop = streams.answering();
  const filler = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  const stream = await streams.whole(key, `${filler.repeat(15)}${'\n'.repeat(1024 * 1024 - 14)}${numbers(1)[0]}`);
  await stop();
  expect(errorsOf(stream).at(-1)).toEqual([15, 413, expect.stringContaining('at most 16 MiB')]);
  expect(summary(stream)).toMatchObject({ requested: 16, accepted: 0, failed: 16 });
  expect(await streams.api.db.tracking.count({ where: { accountId: id } })).toBe(0);
});

test('while thousands of refused lines are processed, other requests are answered', async () => {
  // A key that was found once is known from then on: requests and lines alike wait for nothing but the process.
  const at = await streams.start({}, { keyClock: () => 0 });
  const [busy, other] = [await at.account(), await at.account()];
  const ask = () =>
    at.call('POST', '/carrier/detect', { key: other.key, body: { tracking_number: 'YT8800000000001' } });
  await ask();
  const stream = await streams.open(busy.key, { at });
  stream.send('?\n'.repeat(9999));
  let answeredWhile = 0;
  while (ofType(stream, 'error').length < 9999) {
    await ask();
    if (ofType(stream, 'error').length < 9999) answeredWhile += 1;
  }
  expect(answeredWhile).toBeGreaterThan(0);
  stream.finish();
  await stream.ended;
});

test('a client that is cut off in the middle of a JSON body registers nothing', async () => {
  const { key } = await streams.api.account();
  const { hostname, port } = new URL(streams.api.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/v1/track/batch-stream HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n["YT8800000000001"`,
  );
  await once(socket, 'connect');
  socket.destroy();
  await eventually(async () => expect(await streams.api.db.streamLease.count()).toBe(0));
  expect(await streams.api.db.tracking.count()).toBe(0);
});
