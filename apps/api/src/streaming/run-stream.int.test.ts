import { request as httpRequest } from 'node:http';
import { eventually } from '@pts/testing/eventually';
import { serve } from '@pts/testing/http-server';
import { numbers, ofType, startTestStreams, summary } from '../testing/test-streams.ts';

describe('a stream', () => {
  let streams: Awaited<ReturnType<typeof startTestStreams>>;
  beforeEach(async () => {
    streams = await startTestStreams('redis');
  }, 30_000);
  afterEach(() => streams.close(), 30_000);

  test('lines in, lines out: every number once its answer is stored, with its own index, and a summary', async () => {
    const { id, key } = await streams.api.account();
    const stop = streams.answering();
    const text = [...numbers(3), '"YT8800000000009"', '{"tracking_number":"YT8800000000010","title":"shoes"}'].join(
      '\n',
    );
    const stream = await streams.whole(key, text, { accept: 'text/event-stream;q=0, */*' });
    await stop();
    expect(stream.response.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      vary: 'Accept, X-API-Key, Tracking-Api-Key, Authorization, Accept-Language',
      'x-content-type-options': 'nosniff',
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
    expect(await streams.api.db.quotaUsage.findFirst({ where: { accountId: id } })).toMatchObject({ used: 5 });
    await eventually(async () => expect(await streams.api.db.streamLease.count()).toBe(0));
  });

  test.each([
    ['tracking_numbers', { tracking_numbers: numbers(2) }],
    ['trackings', { trackings: numbers(2).map((tracking_number) => ({ tracking_number })) }],
    ['a bare array', numbers(2)],
  ])('a JSON body with %s; answers as server-sent events', async (_form, body) => {
    const { key } = await streams.api.account();
    const stop = streams.answering();
    const stream = await streams.whole(key, JSON.stringify(body), {
      type: 'application/json',
      accept: 'text/event-stream',
    });
    await stop();
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(summary(stream)).toMatchObject({ type: 'summary', answered: 2 });
  });

  test('answers flow while numbers are still being sent', async () => {
    const { key } = await streams.api.account();
    const stop = streams.answering();
    const stream = await streams.open(key);
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

  test('answers are found even without any signal', async () => {
    const { key } = await streams.api.account();
    const stop = streams.answering(false);
    const stream = await streams.whole(key, numbers(30).join('\n'));
    await stop();
    expect(summary(stream)).toMatchObject({ answered: 30, timed_out: 0 });
  });

  test('numbers whose carrier stays silent time out, and stay registered', async () => {
    const quick = await streams.start({ timeoutMs: 300, pollMs: 50 });
    const { id, key } = await quick.account();
    const stream = await streams.whole(key, numbers(2).join('\n'), { at: quick });
    expect(ofType(stream, 'timeout')).toHaveLength(2);
    expect(summary(stream)).toMatchObject({ accepted: 2, answered: 0, timed_out: 2 });
    expect(await streams.api.db.check.count({ where: { accountId: id } })).toBe(2);
  });

  test('heartbeats report the progress', async () => {
    const chatty = await streams.start({ heartbeatMs: 20 });
    const { key } = await chatty.account();
    const stream = await streams.open(key, { at: chatty });
    stream.send(`${numbers(1)[0]}\n`);
    await eventually(() => expect(stream.lines.at(-1)).toMatchObject({ type: 'progress', accepted: 1, pending: 1 }));
    stream.leave();
  });

  test('a client that leaves keeps its registrations, and its place is free at once', async () => {
    const { id, key } = await streams.api.account();
    const stream = await streams.open(key);
    stream.send(`${numbers(3).join('\n')}\n`);
    await eventually(async () => expect(await streams.api.db.tracking.count({ where: { accountId: id } })).toBe(3));
    expect(await streams.api.db.streamLease.count()).toBe(1);
    stream.leave();
    await eventually(async () => expect(await streams.api.db.streamLease.count()).toBe(0));
    expect(await streams.api.db.check.count({ where: { accountId: id } })).toBe(3);
  });

  test('two at once, over all replicas; a third is refused, until one has ended', async () => {
    const other = await streams.start();
    const { key } = await streams.api.account();
    const running = [await streams.open(key), await streams.open(key, { at: other })];
    const refused = await streams.api.call('POST', '/track/batch-stream', {
      key,
      body: { tracking_numbers: numbers(1) },
    });
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 429, message: expect.stringContaining('2 open streams') },
    });
    running[0]?.leave();
    await eventually(async () => {
      const stream = await streams.open(key, { at: other });
      stream.leave();
      expect(stream.response.statusCode).toBe(200);
    });
    running[1]?.leave();
  });

  test('the place of a replica that crashed is free again after a while', async () => {
    const { id, key } = await streams.api.account();
    const dead = { accountId: id, expiresAt: new Date(Date.now() - 1) };
    await streams.api.db.streamLease.createMany({
      data: ['a', 'b'].map((letter) => ({ id: letter.repeat(24), ...dead })),
    });
    const stream = await streams.open(key);
    expect(stream.response.statusCode).toBe(200);
    stream.leave();
  });

  test('every replica is notified of an answer, whichever registered the number', async () => {
    const other = await streams.start({ pollMs: 60_000 });
    const { key } = await streams.api.account();
    const both = [await streams.open(key, { at: other }), await streams.open(key)];
    for (const stream of both) stream.send(`${numbers(2).join('\n')}\n`);
    for (const stream of both) stream.finish();
    await eventually(async () => {
      await streams.answer();
      for (const stream of both) expect(summary(stream)).toMatchObject({ type: 'summary', answered: 2 });
    });
  });

  test('when the service stops, its streams end with a summary that says so', async () => {
    const { key } = await streams.api.account();
    const stream = await streams.open(key);
    stream.send(`${numbers(2).join('\n')}\n`);
    await eventually(async () => expect(await streams.api.db.tracking.count()).toBe(2));
    streams.stop();
    await stream.ended;
    expect(summary(stream)).toMatchObject({ type: 'summary', interrupted: true, accepted: 2 });
  });

  test('each line passes a reverse proxy as it is written', async () => {
    const target = new URL(streams.api.url);
    const proxy = await serve((incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const onward = httpRequest({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.flushHeaders();
      incoming.pipe(onward);
    });
    const { key } = await streams.api.account();
    const stop = streams.answering();
    const stream = await streams.open(key, { url: proxy.url });
    stream.send(`${numbers(1)[0]}\n`);
    await eventually(() => expect(ofType(stream, 'tracking')).toHaveLength(1));
    stream.finish();
    await stream.ended;
    await stop();
    await proxy.close();
    expect(summary(stream)).toMatchObject({ answered: 1 });
  });
});
