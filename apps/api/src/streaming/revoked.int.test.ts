import { MAX_NUMBERS } from '@pts/contract/limits';
import { disableAccount } from '@pts/db/accounts/accounts';
import { revokeKeys } from '@pts/db/accounts/keys';
import { eventually } from '@pts/testing/eventually';
import { createBulkhead } from '../http/limits/account-bulkhead.ts';
import { numbers, ofType, startTestStreams, summary, type TestStream } from '../testing/test-streams.ts';

type Streams = Awaited<ReturnType<typeof startTestStreams>>;

let streams: Streams;
beforeEach(async () => {
  streams = await startTestStreams('postgres');
}, 30_000);
afterEach(() => streams.close(), 30_000);

/** Every look at this clock is a second later, so that no lookup of a key is cached. */
function hurriedClock() {
  let now = 0;
  return () => {
    now += 1000;
    return now;
  };
}

const ENDS: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
  ['its key is revoked', (id) => revokeKeys(streams.api.db, id, new Date())],
  ['its account is disabled', (id) => disableAccount(streams.api.db, id, new Date())],
];

const REFUSED = {
  type: 'error',
  index: null,
  errorCode: 401,
  errorMessage: expect.stringMatching(/revoked, or its account disabled.* stays registered/),
  docs_url: expect.stringMatching(/^http.+\/docs\/errors\/401$/),
};

/** The stream ends with an error line in place of the summary. */
async function endsRefused(stream: TestStream): Promise<void> {
  await stream.ended;
  expect(stream.lines.at(-1)).toEqual(REFUSED);
  expect(ofType(stream, 'summary')).toEqual([]);
  expect(ofType(stream, 'timeout')).toEqual([]);
}

const used = async (accountId: string) => (await streams.api.db.quotaUsage.findFirst({ where: { accountId } }))?.used;

describe.each(ENDS)('once %s', (_what, end) => {
  test.each([undefined, 'text/event-stream'])('lines that follow are not registered (Accept: %s)', async (accept) => {
    const at = await streams.start({}, { keyClock: hurriedClock() });
    const { id, key } = await at.account();
    const stop = streams.answering();
    const stream = await streams.open(key, { at, ...(accept ? { accept } : {}) });
    stream.send(`${numbers(2).join('\n')}\n`);
    await eventually(() => expect(ofType(stream, 'tracking')).toHaveLength(2));
    await end(id);
    stream.send(`${numbers(3, 100).join('\n')}\n`);
    await endsRefused(stream);
    await stop();
    expect(await at.db.tracking.count({ where: { accountId: id } })).toBe(2);
    expect(await used(id)).toBe(2);
  });

  test('the batches of a list that were not registered yet are not registered', async () => {
    const bulkhead = createBulkhead();
    const run: typeof bulkhead.run = (accountId, work) =>
      bulkhead.run(accountId, async () => {
        const result = await work();
        await end(accountId);
        return result;
      });
    const at = await streams.start({}, { keyClock: hurriedClock(), bulkhead: { ...bulkhead, run } });
    const { id, key } = await at.account();
    const body = JSON.stringify({ tracking_numbers: numbers(1000) });
    const stream = await streams.whole(key, body, { at, type: 'application/json' });
    await endsRefused(stream);
    expect(await at.db.tracking.count({ where: { accountId: id } })).toBe(MAX_NUMBERS);
    expect(await used(id)).toBe(MAX_NUMBERS);
  });

  test('a stream that only waits ends as well, and its place is free', async () => {
    const at = await streams.start({ pollMs: 20 });
    const { id, key } = await at.account();
    const stream = await streams.open(key, { at });
    stream.send(`${numbers(2).join('\n')}\n`);
    stream.finish();
    await eventually(async () => expect(await at.db.tracking.count({ where: { accountId: id } })).toBe(2));
    await end(id);
    await endsRefused(stream);
    await eventually(async () => expect(await at.db.streamLease.count()).toBe(0));
  });

  test('a stream without numbers ends as well', async () => {
    const at = await streams.start({ pollMs: 20 });
    const { id, key } = await at.account();
    const stream = await streams.open(key, { at });
    await end(id);
    await endsRefused(stream);
  });

  test('answers that are stored afterwards are not written', async () => {
    const at = await streams.start({ pollMs: 60_000 }, { keyClock: hurriedClock() });
    const { id, key } = await at.account();
    const stream = await streams.open(key, { at });
    stream.send(`${numbers(2).join('\n')}\n`);
    await eventually(async () => expect(await at.db.tracking.count({ where: { accountId: id } })).toBe(2));
    await end(id);
    await eventually(async () => {
      await streams.answer();
      expect(stream.lines.at(-1)).toMatchObject({ type: 'error' });
    });
    await endsRefused(stream);
    expect(ofType(stream, 'tracking')).toEqual([]);
  });
});

test('the lookups of a stream do not grow with its lines', async () => {
  const at = await streams.start({}, { keyClock: () => 0 });
  const { id, key } = await at.account();
  const stop = streams.answering();
  const stream = await streams.open(key, { at });
  // The clock of the cache stands still: the first lookup is enough for the whole stream.
  await revokeKeys(at.db, id, new Date());
  stream.send(`${numbers(500).join('\n')}\n`);
  stream.finish();
  await stream.ended;
  await stop();
  expect(summary(stream)).toMatchObject({ type: 'summary', answered: 500 });
});

test('a changed plan applies to the next batch', async () => {
  const at = await streams.start({}, { keyClock: hurriedClock() });
  const { id, key } = await at.account({ quota: 2 });
  const stream = await streams.open(key, { at });
  stream.send(`${numbers(3).join('\n')}\n`);
  await eventually(() => expect(ofType(stream, 'error')).toHaveLength(1));
  await at.db.account.update({ where: { id }, data: { quotaOverride: 3 } });
  stream.send(`${numbers(1, 100).join('\n')}\n`);
  await eventually(async () => expect(await at.db.tracking.count({ where: { accountId: id } })).toBe(3));
  stream.leave();
});
