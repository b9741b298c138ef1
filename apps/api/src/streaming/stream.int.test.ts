import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { type StreamLine, streamLine } from '@pts/contract/stream';
import { toUtcSeconds } from '@pts/core/time';
import { saveAnswers } from '@pts/db/checks/answers';
import { openSignals, type Signals } from '@pts/queue/signals';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { serve } from '@pts/testing/http-server';
import { stores } from '@pts/testing/stores';
import { createResponseCheck } from '../http/validate.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { createAnswerHub } from './hub.ts';
import { STREAM_TIMES } from './times.ts';

const checkLine = createResponseCheck(streamLine);
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `YT88${String(from + i).padStart(11, '0')}`);

describe.each(stores())('a stream over %s', (store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let signals: Signals;
  let stopping: AbortController;
  const apis: TestApi[] = [];
  let api: TestApi;

  beforeEach(async () => {
    database = await testDatabase();
    api = await start();
  }, 30_000);
  afterEach(async () => {
    await Promise.all(apis.splice(0).map((each) => each.close()));
    await database.close();
  }, 30_000);

  /** One replica. All replicas of a test share a database and signals. */
  async function start(times: Partial<Record<'timeoutMs' | 'pollMs' | 'heartbeatMs', number>> = {}) {
    const redisUrl = store === 'redis' ? process.env.TEST_REDIS_URL : undefined;
    const own = openSignals({ redisUrl, databaseUrl: database.url, prefix: database.url, onError: () => {} });
    signals ??= own;
    stopping = new AbortController();
    const streams = { ...STREAM_TIMES, pollMs: 200, ...times, hub: createAnswerHub(own), stopping: stopping.signal };
    const started = await startTestApi({ store, databaseUrl: database.url, streams });
    const close = async () => {
      await started.close();
      await own.close();
      if (signals === own) signals = undefined as never;
    };
    apis.push({ ...started, close });
    return { ...started, close };
  }

  /** Has the carrier answer for all waiting numbers, like the poller. */
  async function answer(withSignal = true, most = 10_000): Promise<number> {
    const waiting = await api.db.tracking.findMany({ where: { answeredAt: null }, select: { id: true }, take: most });
    const time = toUtcSeconds(new Date());
    const scan = {
      time,
      timeRaw: time,
      zoneSource: 'carrier',
      location: '云溪市',
      description: '已揽收',
      status: 'in_transit',
    };
    const scans = [scan] as never;
    for (let i = 0; i < waiting.length; i += 200) {
      const ids = waiting.slice(i, i + 200).map(({ id }) => id);
      const changed = ids.map((trackingId) => ({
        trackingId,
        answer: { kind: 'found' as const, scans },
        fingerprint: 'f',
        finalCheck: false,
      }));
      await saveAnswers(api.db, changed, CADENCE, new Date());
      if (withSignal) await signals.publish('answered', ids);
    }
    return waiting.length;
  }
  /** The carrier answers every registered number until the returned function is called. */
  function answering(withSignal = true) {
    let isOn = true;
    const done = (async () => {
      const answerSome = async () => {
        if (isOn) expect(await answer(withSignal)).toBeGreaterThan(0);
      };
      // Longer than any test here: a quiet stream is not a failure.
      while (isOn) await eventually(answerSome, { deadlineMs: 120_000, everyMs: 10 });
    })();
    return async () => {
      isOn = false;
      await done;
    };
  }

  type Stream = {
    response: IncomingMessage;
    lines: StreamLine[];
    ended: Promise<void>;
    send(text: string): void;
    finish(): void;
    leave(): void;
  };
  /** Opens a stream; `finish` ends its input. */
  async function open(
    key: string,
    more: { type?: string; accept?: string; at?: TestApi; paused?: boolean; url?: string; body?: string } = {},
  ): Promise<Stream> {
    const { type = 'application/x-ndjson', accept, at = api, paused = false } = more;
    const sent = httpRequest(`${more.url ?? at.url}/api/v1/track/batch-stream`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': type, ...(accept ? { Accept: accept } : {}) },
    });
    sent.on('error', () => {});
    // A JSON body is read before the answer begins.
    if (more.body === undefined) sent.flushHeaders();
    else sent.end(more.body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const lines: StreamLine[] = [];
    let ended = Promise.resolve();
    if (!paused) {
      const reader = createInterface({ input: response });
      reader.on('line', (text) => {
        const json = text.startsWith('data: ') ? text.slice(6) : text;
        if (json.startsWith('{')) lines.push(JSON.parse(json));
      });
      reader.on('error', () => {});
      ended = new Promise((resolve) => {
        reader.once('close', resolve);
      });
    }
    return {
      response,
      lines,
      ended,
      send: (text) => void sent.write(text),
      finish: () => void sent.end(),
      leave: () => void sent.destroy(),
    };
  }
  const ofType = (stream: Stream, type: StreamLine['type']) =>
    stream.lines.filter((line) => line.type === type) as never[];
  const summary = (stream: Stream) => stream.lines.at(-1);
  async function whole(key: string, text: string, more: Parameters<typeof open>[1] = {}): Promise<Stream> {
    const isJson = more.type === 'application/json';
    const stream = await open(key, { ...more, ...(isJson ? { body: text } : {}) });
    if (!isJson) {
      stream.send(text);
      stream.finish();
    }
    await stream.ended;
    for (const line of stream.lines) checkLine(line);
    return stream;
  }

  test('lines in, lines out: every number once its answer is stored, with its own index, and a summary', async () => {
    const { id, key } = await api.account();
    const stop = answering();
    const text = [...numbers(3), '"YT8800000000009"', '{"tracking_number":"YT8800000000010","title":"shoes"}'].join(
      '\n',
    );
    const stream = await whole(key, text);
    await stop();
    expect(stream.response.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    expect(stream.lines[0]).toMatchObject({ type: 'progress', requested: 0, pending: 0 });
    const trackings = ofType(stream, 'tracking') as {
      index: number;
      tracking_number: string;
      title?: string;
      events: unknown[];
    }[];
    expect(trackings.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(trackings.find(({ index }) => index === 4)).toMatchObject({
      tracking_number: 'YT8800000000010',
      title: 'shoes',
      events: [{ status: 'in_transit' }],
    });
    expect(summary(stream)).toEqual({
      type: 'summary',
      requested: 5,
      accepted: 5,
      answered: 5,
      failed: 0,
      timed_out: 0,
    });
    expect(await api.db.quotaUsage.findFirst({ where: { accountId: id } })).toMatchObject({ used: 5 });
    expect(await api.db.streamLease.count()).toBe(0);
  });

  test.each([
    ['tracking_numbers', { tracking_numbers: numbers(2) }],
    ['trackings', { trackings: numbers(2).map((tracking_number) => ({ tracking_number })) }],
    ['a bare array', numbers(2)],
  ])('a JSON body with %s; answers as server-sent events', async (_form, body) => {
    const { key } = await api.account();
    const stop = answering();
    const stream = await whole(key, JSON.stringify(body), { type: 'application/json', accept: 'text/event-stream' });
    await stop();
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(summary(stream)).toMatchObject({ type: 'summary', answered: 2 });
  });

  test('answers flow while numbers are still being sent', async () => {
    const { key } = await api.account();
    const stop = answering();
    const stream = await open(key);
    stream.send(`${numbers(1)[0]}\n`);
    await eventually(() => expect(ofType(stream, 'tracking')).toHaveLength(1));
    stream.send(`${numbers(1, 5)[0]}\n`);
    await eventually(() => expect(ofType(stream, 'tracking')).toHaveLength(2));
    expect(ofType(stream, 'summary')).toHaveLength(0);
    stream.finish();
    await stream.ended;
    await stop();
    expect(summary(stream)).toMatchObject({ type: 'summary', answered: 2 });
  });

  test('invalid numbers are reported with their index; duplicates and known numbers are answered and charged once', async () => {
    const { id, key } = await api.account();
    await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'YT8800000000001' } });
    await answer();
    const stop = answering();
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
    const stream = await whole(key, text.join('\n'));
    await stop();
    const errors = ofType(stream, 'error') as { index: number; errorCode: number }[];
    expect(errors.map(({ index, errorCode }) => [index, errorCode]).sort()).toEqual([
      [1, 4110],
      [2, 4120],
      [3, 400],
      [6, 4110],
      [7, 400],
    ]);
    const answered = ofType(stream, 'tracking') as { index: number }[];
    expect(answered.map(({ index }) => index).sort()).toEqual([0, 4, 5]);
    expect(summary(stream)).toMatchObject({ requested: 8, accepted: 3, answered: 3, failed: 5 });
    expect(await api.db.quotaUsage.findFirst({ where: { accountId: id } })).toMatchObject({ used: 2 });
  });

  test('if the quota ends in the middle, as many as fit are registered in order, the others are refused', async () => {
    const { id, key } = await api.account({ quota: 7 });
    await api.call('POST', '/trackings/create', { key, body: { tracking_number: numbers(10)[9] } });
    const stop = answering();
    const stream = await whole(key, numbers(12).join('\n'));
    await stop();
    const answered = ofType(stream, 'tracking') as { index: number }[];
    expect(answered.map(({ index }) => index).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 9]);
    expect((ofType(stream, 'error') as { errorCode: number }[]).every(({ errorCode }) => errorCode === 4190)).toBe(
      true,
    );
    expect(await api.db.quotaUsage.findFirst({ where: { accountId: id } })).toMatchObject({ used: 7 });
  });

  test('answers are found even without any signal', async () => {
    const { key } = await api.account();
    const stop = answering(false);
    const stream = await whole(key, numbers(30).join('\n'));
    await stop();
    expect(summary(stream)).toMatchObject({ answered: 30, timed_out: 0 });
  });

  test('numbers whose carrier stays silent time out, and stay registered', async () => {
    const quick = await start({ timeoutMs: 300, pollMs: 50 });
    const { id, key } = await quick.account();
    const stream = await whole(key, numbers(2).join('\n'), { at: quick });
    expect(ofType(stream, 'timeout')).toHaveLength(2);
    expect(summary(stream)).toMatchObject({ accepted: 2, answered: 0, timed_out: 2 });
    expect(await api.db.check.count({ where: { accountId: id } })).toBe(2);
  });

  test('heartbeats report the progress', async () => {
    const chatty = await start({ heartbeatMs: 20 });
    const { key } = await chatty.account();
    const stream = await open(key, { at: chatty });
    stream.send(`${numbers(1)[0]}\n`);
    await eventually(() => expect(stream.lines.at(-1)).toMatchObject({ type: 'progress', accepted: 1, pending: 1 }));
    stream.leave();
  });

  test('a client that leaves keeps its registrations, and its place is free at once', async () => {
    const { id, key } = await api.account();
    const stream = await open(key);
    stream.send(`${numbers(3).join('\n')}\n`);
    await eventually(async () => expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(3));
    expect(await api.db.streamLease.count()).toBe(1);
    stream.leave();
    await eventually(async () => expect(await api.db.streamLease.count()).toBe(0));
    expect(await api.db.check.count({ where: { accountId: id } })).toBe(3);
  });

  test('two at once, over all replicas; a third is refused, until one has ended', async () => {
    const other = await start();
    const { key } = await api.account();
    const running = [await open(key), await open(key, { at: other })];
    const refused = await api.call('POST', '/track/batch-stream', { key, body: { tracking_numbers: numbers(1) } });
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 429, message: expect.stringContaining('2 open streams') },
    });
    running[0]?.leave();
    await eventually(async () => {
      const stream = await open(key, { at: other });
      stream.leave();
      expect(stream.response.statusCode).toBe(200);
    });
    running[1]?.leave();
  });

  test('the place of a replica that crashed is free again after a while', async () => {
    const { id, key } = await api.account();
    const dead = { accountId: id, expiresAt: new Date(Date.now() - 1) };
    await api.db.streamLease.createMany({ data: ['a', 'b'].map((letter) => ({ id: letter.repeat(24), ...dead })) });
    const stream = await open(key);
    expect(stream.response.statusCode).toBe(200);
    stream.leave();
  });

  test('every replica is notified of an answer, whichever registered the number', async () => {
    const other = await start({ pollMs: 60_000 });
    const { key } = await api.account();
    const streams = [await open(key, { at: other }), await open(key)];
    for (const stream of streams) stream.send(`${numbers(2).join('\n')}\n`);
    for (const stream of streams) stream.finish();
    await eventually(async () => {
      await answer();
      for (const stream of streams) expect(summary(stream)).toMatchObject({ type: 'summary', answered: 2 });
    });
  });

  test('while a reader is behind, its input is not read; nothing is lost once it continues', async () => {
    const { id, key } = await api.account({ plan: 'enterprise' });
    const stop = answering();
    const stream = await open(key, { paused: true });
    // Large answers, so that few of them fill the buffers in between.
    const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key${i}`, 'x'.repeat(250)]));
    const wide = (tracking_number: string) => JSON.stringify({ tracking_number, metadata });
    stream.send(`${numbers(4000).map(wide).join('\n')}\n`);
    stream.finish();
    const registered = () => api.db.tracking.count({ where: { accountId: id } });
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

  test('when the service stops, its streams end with a summary that says so', async () => {
    const { key } = await api.account();
    const stream = await open(key);
    stream.send(`${numbers(2).join('\n')}\n`);
    await eventually(async () => expect(await api.db.tracking.count()).toBe(2));
    stopping.abort();
    await stream.ended;
    expect(summary(stream)).toMatchObject({ type: 'summary', interrupted: true, accepted: 2 });
  });

  test('each line passes a reverse proxy as it is written', async () => {
    const target = new URL(api.url);
    const proxy = await serve((incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const onward = httpRequest({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.flushHeaders();
      incoming.pipe(onward);
    });
    const { key } = await api.account();
    const stop = answering();
    const stream = await open(key, { url: proxy.url });
    stream.send(`${numbers(1)[0]}\n`);
    await eventually(() => expect(ofType(stream, 'tracking')).toHaveLength(1));
    stream.finish();
    await stream.ended;
    await stop();
    await proxy.close();
    expect(summary(stream)).toMatchObject({ answered: 1 });
  });

  describe('is refused before its first byte', () => {
    test.each<[string, string, string, number]>([
      ['another type', 'text/plain', 'YT1', 415],
      ['broken JSON', 'application/json', '{', 400],
      ['no list', 'application/json', '{}', 4130],
      ['an empty list', 'application/json', '{"tracking_numbers":[]}', 4111],
      ['too many', 'application/json', JSON.stringify(numbers(10_001)), 4103],
      ['too much', 'application/json', `["${'x'.repeat(700_000)}"]`, 413],
      ['too deep', 'application/json', '['.repeat(1000), 400],
    ])('with %s', async (_what, type, raw, number) => {
      const { key } = await api.account();
      const { body } = await api.call('POST', '/track/batch-stream', { key, raw, headers: { 'Content-Type': type } });
      expect(body.code).toBe(number);
      expect(await api.db.tracking.count()).toBe(0);
    });

    test('without a key', async () => {
      expect((await api.call('POST', '/track/batch-stream', { body: {} })).body.code).toBe(401);
    });
  });

  test('line 10,001 is refused, and those before it are registered', async () => {
    const { key } = await api.account({ plan: 'enterprise' });
    const stop = answering();
    const text = `${numbers(1)[0]}\n`.repeat(10_001);
    const stream = await whole(key, text);
    await stop();
    expect(ofType(stream, 'error')).toMatchObject([{ index: 10_000, errorCode: 4103 }]);
    expect(summary(stream)).toMatchObject({ accepted: 10_000, answered: 10_000, failed: 1 });
  }, 60_000);

  const errorsOf = (stream: Stream) =>
    (ofType(stream, 'error') as { index: number; errorCode: number; errorMessage: string }[]).map(
      ({ index, errorCode, errorMessage }) => [index, errorCode, errorMessage],
    );

  test('lines that are too long or too deep are reported as errors, and the stream continues', async () => {
    const { key } = await api.account();
    const stop = answering();
    const lines = ['x'.repeat(100_000), '['.repeat(10_000), `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, ...numbers(1)];
    const stream = await whole(key, lines.join('\n'));
    await stop();
    expect(errorsOf(stream)).toEqual([
      [0, 400, expect.stringContaining('longer than 16 KiB')],
      [1, 400, expect.stringContaining('more than 32 levels')],
      [2, 400, expect.stringContaining('more than 32 levels')],
    ]);
    expect(summary(stream)).toMatchObject({ requested: 4, accepted: 1, answered: 1, failed: 3 });
  });

  test('after 1,000 unreadable lines the rest is not read, and accepted numbers get answers', async () => {
    const { id, key } = await api.account();
    const stop = answering();
    const stream = await whole(key, `${numbers(1)[0]}\n${'{broken\n'.repeat(1000)}${numbers(1, 1)[0]}\n`);
    await stop();
    expect(errorsOf(stream)).toHaveLength(1001);
    expect(errorsOf(stream).at(-1)).toEqual([1001, 400, expect.stringMatching(/^1,000 lines could not be read/)]);
    expect(summary(stream)).toMatchObject({ accepted: 1, answered: 1, failed: 1001 });
    expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(1);
  });

  test('a stream of more than 16 MiB ends with an error, and no part of a line is read as a line', async () => {
    const { id, key } = await api.account();
    const stop = answering();
    const filler = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    const stream = await whole(key, `${filler.repeat(15)}${'\n'.repeat(1024 * 1024 - 14)}${numbers(1)[0]}`);
    await stop();
    expect(errorsOf(stream).at(-1)).toEqual([15, 413, expect.stringContaining('at most 16 MiB')]);
    expect(summary(stream)).toMatchObject({ requested: 16, accepted: 0, failed: 16 });
    expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(0);
  });

  test('while thousands of refused lines are processed, other requests are answered', async () => {
    const [busy, other] = [await api.account(), await api.account()];
    const stream = await open(busy.key);
    // No database in between: each line is checked and refused in memory.
    stream.send('?\n'.repeat(9999));
    let answeredWhile = 0;
    while (ofType(stream, 'error').length < 9999) {
      await api.call('POST', '/carrier/detect', { key: other.key, body: { tracking_number: 'YT8800000000001' } });
      if (ofType(stream, 'error').length < 9999) answeredWhile += 1;
    }
    expect(answeredWhile).toBeGreaterThan(0);
    stream.finish();
    await stream.ended;
  });

  test('a client that is cut off in the middle of a JSON body registers nothing', async () => {
    const { key } = await api.account();
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/v1/track/batch-stream HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n["YT8800000000001"`,
    );
    await once(socket, 'connect');
    socket.destroy();
    await eventually(async () => expect(await api.db.streamLease.count()).toBe(0));
    expect(await api.db.tracking.count()).toBe(0);
  });
});
