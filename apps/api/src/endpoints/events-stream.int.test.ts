import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { disableAccount, revokeKeys } from '@pts/db/accounts/accounts';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { createBulkhead } from '../http/bulkhead.ts';
import { cursorAhead } from '../testing/cursor-ahead.ts';
import type { TestApi } from '../testing/test-api.ts';
import { startTestStreams } from '../testing/test-streams.ts';

const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
/** Longer than any test: what arrives was signalled. */
const NEVER_MS = 3_600_000;

type Streams = Awaited<ReturnType<typeof startTestStreams>>;
type Block = { id?: string; event?: string; data?: string; retry?: string; comment?: string };

let streams: Streams;
const leaving: AbortController[] = [];
async function leaveAll(): Promise<void> {
  for (const each of leaving.splice(0)) each.abort();
  await eventually(async () => expect(await leases()).toBe(0));
}

/** A parcel of an account; each call of `move` stores one event more. */
async function parcelOf(accountId: string) {
  const { db } = streams.api;
  const [trackingId = ''] = await newTrackings(db, accountId, [freshNumber()], new Date());
  let moves = 0;
  return async (filler = '') => {
    moves += 1;
    const time = toUtcSeconds(new Date(Date.now() + moves * 1000));
    const scan = { time, timeRaw: time, zoneSource: 'carrier', location: '杭州市', status: 'in_transit' };
    const answer = { kind: 'found', scans: [{ ...scan, description: `到达 ${moves}${filler}` }] } as CarrierAnswer;
    const changed = { trackingId, answer, fingerprint: `${moves}`, finalLook: false };
    await saveAnswers(db, [changed], CADENCE, new Date());
  };
}

/** Opens a stream; its blocks are read as they arrive. */
async function open(at: TestApi, key: string, query = '', headers: Record<string, string> = {}) {
  const left = new AbortController();
  leaving.push(left);
  const response = await fetch(`${at.url}/api/v1/events/stream${query}`, {
    headers: { 'X-API-Key': key, Accept: 'text/event-stream', ...headers },
    signal: left.signal,
  });
  const blocks: Block[] = [];
  const ended = (async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      blocks.push(...parts.map(blockOf));
    }
  })().catch(() => {});
  return {
    response,
    blocks,
    events: () => blocks.filter(({ event }) => event !== undefined),
    ended,
    leave: () => left.abort(),
  };
}

function blockOf(text: string): Block {
  const fields = text.split('\n').map((line) => {
    const [, name = '', value = ''] = /^(\w*):? ?(.*)$/.exec(line) ?? [];
    return [name === '' ? 'comment' : name, value];
  });
  return Object.fromEntries(fields);
}

/** The cursors of a replica are its own here: each has another key. */
const feed = async (at: TestApi, key: string, query = '') =>
  (await at.call('GET', `/events${query}`, { key })).body.data as { events: object[]; next_cursor: string };
const leases = () => streams.api.db.streamLease.count();

describe('with a queue', () => {
  beforeAll(async () => {
    streams = await startTestStreams('redis');
  }, 30_000);
  afterAll(async () => {
    await leaveAll();
    await streams.close();
  }, 30_000);

  test('a stream has the events so far, then each new one as it is stored, exactly as in the feed', async () => {
    const at = await streams.start({}, { eventTimes: { pollMs: NEVER_MS } });
    const { id, key } = await at.account();
    const move = await parcelOf(id);
    await move();
    await move();
    // An event is shown once every older transaction of the server has ended, also those of other tests.
    const stored = (count: number) => eventually(async () => expect((await feed(at, key)).events).toHaveLength(count));
    await stored(2);
    const stream = await open(at, key);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await eventually(() => expect(stream.events()).toHaveLength(2));
    await move();
    await stored(3);
    // A signal from before the process listens is lost.
    await eventually(async () => {
      await streams.publish('events', ['another', id]);
      expect(stream.events()).toHaveLength(3);
    });
    const { events } = await feed(at, key);
    expect(stream.events().map(({ event, data }) => [event, JSON.parse(data ?? '')])).toEqual(
      events.map((event) => ['tracking_update', event]),
    );
    expect(stream.blocks[0]).toEqual({ retry: '2000' });
    // Each id is a cursor of the feed.
    const [, second] = stream.events();
    expect((await feed(at, key, `?after=${second?.id}`)).events).toEqual(events.slice(2));
  });
});

describe('a stream', () => {
  beforeAll(async () => {
    streams = await startTestStreams('postgres');
  }, 30_000);
  afterEach(leaveAll, 30_000);
  afterAll(() => streams.close(), 30_000);

  test('continues after Last-Event-ID, which wins over after; latest skips what is stored', async () => {
    const at = await streams.start({}, { eventTimes: { pollMs: 20 } });
    const { id, key } = await at.account();
    const move = await parcelOf(id);
    for (const _ of [1, 2, 3]) await move();
    const all = await open(at, key, '?after=&last=');
    await eventually(() => expect(all.events()).toHaveLength(3));
    const [first, second] = all.events();
    const again = await open(at, key, `?after=${first?.id}`, { 'Last-Event-ID': second?.id ?? '' });
    await eventually(() => expect(again.events()).toHaveLength(1));
    expect(again.events()).toEqual(all.events().slice(2));
    const live = await open(at, key, '?after=latest');
    await eventually(() => expect(live.blocks).toHaveLength(1));
    // A client that loses the connection before the first event knows where to continue.
    const { id: place = '' } = live.blocks[0] ?? {};
    await move();
    // Its signal was lost: the stream looks for events itself.
    await eventually(() => expect(live.events()).toHaveLength(1));
    expect((await feed(at, key, `?after=${place}`)).events).toEqual([JSON.parse(live.events()[0]?.data ?? '')]);
  });

  test('finds events that a running transaction hides when they are signalled, as soon as it ends', async () => {
    const own = createBulkhead();
    let reads = 0;
    const slices: typeof own.slices = (accountId) => {
      const given = own.slices(accountId);
      const resume = () => {
        reads += 1;
        given.resume();
      };
      return { ...given, resume };
    };
    const at = await streams.start({}, { eventTimes: { pollMs: NEVER_MS }, bulkhead: { ...own, slices } });
    const { id, key } = await at.account();
    const move = await parcelOf(id);
    const stream = await open(at, key);
    await eventually(() => expect(stream.blocks).toHaveLength(1));
    await streams.api.db.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE accounts SET name = 'in a transaction' WHERE id = ${id}`;
      await move();
      await eventually(async () => {
        await streams.publish('events', [id]);
        expect(reads).toBeGreaterThan(1);
      });
      expect(stream.events()).toEqual([]);
    });
    await eventually(() => expect(stream.events()).toHaveLength(1));
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['its key is revoked', (id) => revokeKeys(streams.api.db, id, new Date())],
    ['its account is disabled', (id) => disableAccount(streams.api.db, id, new Date())],
  ])('ends with an error once %s, and its place is free', async (_, end) => {
    const at = await streams.start({}, { eventTimes: { pollMs: 20 }, keyClock: Date.now });
    const { id, key } = await at.account();
    const move = await parcelOf(id);
    const stream = await open(at, key);
    await eventually(async () => expect(await leases()).toBe(1));
    await end(id);
    await stream.ended;
    const last = stream.blocks.at(-1);
    expect(last?.event).toBe('error');
    expect(JSON.parse(last?.data ?? '')).toMatchObject({
      ...{ code: 401, meta: 401 },
      data: { docs_url: `${at.url}/docs/errors/401` },
    });
    await move();
    expect(stream.events()).toEqual([last]);
    await eventually(async () => expect(await leases()).toBe(0));
  });

  test('ends between two events of a page that its reader takes slowly', async () => {
    let clock = 0;
    const own = createBulkhead();
    const slices: typeof own.slices = (accountId) => {
      const given = own.slices(accountId);
      const next = async () => {
        await given.next();
        await revokeKeys(streams.api.db, accountId, new Date());
      };
      return { ...given, next };
    };
    // No lookup of a key is cached.
    const keyClock = () => {
      clock += 1000;
      return clock;
    };
    const at = await streams.start({}, { bulkhead: { ...own, slices }, keyClock });
    const { id, key } = await at.account();
    const move = await parcelOf(id);
    for (const _ of [1, 2, 3]) await move();
    await eventually(async () => expect((await feed(at, key)).events).toHaveLength(3));
    const stream = await open(at, key);
    await stream.ended;
    expect(stream.events().map(({ event }) => event)).toEqual(['tracking_update', 'error']);
  });

  test('is limited per account over all replicas, apart from streams of batches, and per process', async () => {
    const [one, two] = [await streams.start(), await streams.start({}, { eventTimes: { maxPerProcess: 1 } })];
    const { key } = await one.account();
    const batches = [await streams.open(key), await streams.open(key)];
    const opened = [await open(two, key)];
    for (const _ of [2, 3, 4, 5]) opened.push(await open(one, key));
    expect(opened.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
    const refused = await one.call('GET', '/events/stream', { key });
    expect([refused.status, refused.body.message]).toEqual([429, expect.stringContaining('5 open streams of events')]);
    expect(refused.headers.get('retry-after')).toBe('120');
    const full = await two.call('GET', '/events/stream', { key: (await two.account()).key });
    expect([full.status, full.body.message]).toEqual([503, expect.stringContaining('maximum number of open streams')]);
    opened[0]?.leave();
    await eventually(async () => expect((await open(two, key)).response.status).toBe(200));
    for (const batch of batches) batch.leave();
  });

  test('is refused before it begins for a cursor that cannot be continued', async () => {
    const { api } = streams;
    const [{ id, key }, other] = [await api.account(), await api.account()];
    const { next_cursor } = await feed(api, other.key);
    for (const query of [`?after=${next_cursor}`, '?after=x', `?after=${'x'.repeat(101)}`, '?after=a&after=b']) {
      const refused = await api.call('GET', `/events/stream${query}`, { key });
      expect([refused.body.code, refused.body.data.errors[0].field]).toEqual([4130, 'after']);
    }
    const ahead = { 'Last-Event-ID': await cursorAhead(api, id) };
    const outdated = await api.call('GET', '/events/stream', { key, headers: ahead });
    expect([outdated.status, outdated.body.data]).toEqual([
      409,
      { next_cursor: expect.any(String), docs_url: expect.stringMatching('/docs/errors/409$') },
    ]);
    const continued = await open(api, key, `?after=${outdated.body.data.next_cursor}`);
    expect(continued.response.status).toBe(200);
    expect(await leases()).toBe(1);
  });

  test('a reader that reads nothing is disconnected, without its events in memory', async () => {
    const at = await streams.start({ stalledMs: 200 });
    const { id, key } = await at.account();
    const move = await parcelOf(id);
    for (let n = 0; n < 30; n++) await move(`${n}`.padEnd(18_000, '.'));
    const left = new AbortController();
    leaving.push(left);
    const before = await fetch(`${at.url}/api/v1/events/stream`, {
      headers: { 'X-API-Key': key },
      signal: left.signal,
    });
    expect(before.status).toBe(200);
    await eventually(async () => expect(await leases()).toBe(0));
  });

  test('a HEAD has its headers and no events', async () => {
    const { api } = streams;
    const { key } = await api.account();
    const head = await fetch(`${api.url}/api/v1/events/stream`, { method: 'HEAD', headers: { 'X-API-Key': key } });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await eventually(async () => expect(await leases()).toBe(0));
  });

  test('ends with the cursor to continue after when the database was set back while it was open', async () => {
    const at = await streams.start({}, { eventTimes: { pollMs: 20 } });
    const { id, key } = await at.account();
    const move = await parcelOf(id);
    await move();
    const stream = await open(at, key);
    await eventually(() => expect(stream.events()).toHaveLength(1));
    await streams.api.db.$executeRaw`UPDATE feed_epochs SET timeline = timeline + 1`;
    await stream.ended;
    const error = JSON.parse(stream.blocks.at(-1)?.data ?? '');
    expect(error).toMatchObject({ code: 409, data: { next_cursor: expect.any(String) } });
    const continued = await open(at, key, `?after=${error.data.next_cursor}`);
    await eventually(() => expect(continued.events().length).toBeGreaterThan(0));
  });

  test('has heartbeats, and ends by itself when it is old or the process stops', async () => {
    const young = await streams.start({}, { eventTimes: { heartbeatMs: 10 } });
    const old = await streams.start({}, { eventTimes: { lifeMs: 50 } });
    const { key } = await young.account();
    const [living, ending] = [await open(young, key), await open(old, key)];
    await ending.ended;
    expect(ending.blocks.at(-1)).toEqual({ comment: expect.stringContaining('the stream ends here') });
    await eventually(() => expect(living.blocks.filter(({ comment }) => comment === '').length).toBeGreaterThan(1));
    streams.stop();
    await living.ended;
    expect(living.blocks.at(-1)).toEqual({ comment: expect.stringContaining('the stream ends here') });
    await eventually(async () => expect(await leases()).toBe(0));
  });
});
