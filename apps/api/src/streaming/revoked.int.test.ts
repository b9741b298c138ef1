import { disableAccount, revokeKeys } from '@pts/db/accounts/accounts';
import { eventually } from '@pts/testing/eventually';
import { numbers, ofType, startTestStreams, type TestStream } from '../testing/test-streams.ts';

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
  errorMessage: expect.stringMatching(/revoked, or its account was disabled.* stay registered/),
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
});
