import type { ConnectedProvider } from '@pts/carriers/provider';
import { startServer, stopServers } from '@pts/carriers/testing/local-server';
import { testProvider } from '@pts/carriers/testing/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { claimChecks } from '@pts/db/checks/schedule';
import { freshNumber } from '@pts/testing/factories';
import type { PollerDeps } from '../deps.ts';
import { CADENCE, found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { query } from './query.ts';

let poller: PollerTest;
beforeEach(async () => {
  poller = await openPollerTest();
});
afterEach(async () => {
  await stopServers();
  await poller.close();
});

const TOKEN = { access_token: 'token', expires_in: 3600, token_type: 'Bearer' };
const TIME = '2031-04-01T10:00:00Z';

/** How two APIs format an answer about numbers, and the refusal of a whole call. */
const APIS = {
  fedex: {
    numbersIn: (body: string) =>
      JSON.parse(body).trackingInfo.map((each: { trackingNumberInfo: { trackingNumber: string } }) =>
        String(each.trackingNumberInfo.trackingNumber),
      ) as string[],
    answer: (numbers: readonly string[]) => ({
      output: {
        completeTrackResults: numbers.map((trackingNumber) => ({
          trackingNumber,
          trackResults: [{ scanEvents: [{ date: TIME, eventType: 'PU', eventDescription: 'Picked up' }] }],
        })),
      },
    }),
    refusal: { errors: [{ code: 'TRACKING.TRACKINGNUMBER.INVALID', message: 'Tracking number is invalid.' }] },
    unknown: { errors: [{ code: 'BAD.REQUEST.ERROR', message: 'Please check the request.' }] },
  },
  usps: {
    numbersIn: (body: string) =>
      JSON.parse(body).map((each: { trackingNumber: string }) => String(each.trackingNumber)) as string[],
    answer: (numbers: readonly string[]) =>
      numbers.map((trackingNumber) => ({
        trackingNumber,
        trackingEvents: [{ eventType: 'Picked up', eventCode: '03', GMTTimestamp: TIME, eventTimestamp: TIME }],
      })),
    refusal: { error: { code: '400', message: 'The tracking number is invalid.' } },
    unknown: { error: { code: '400', message: 'Something about the request.' } },
  },
};

describe.each(Object.entries(APIS))('%s', (name, api) => {
  /** Refuses a whole call with 400 for any number with BAD in it. */
  async function open(refusal: object = api.refusal) {
    const calls: string[][] = [];
    const url = await startServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        if (request.url?.includes('token')) return response.end(JSON.stringify(TOKEN));
        const numbers = api.numbersIn(body);
        calls.push(numbers);
        const isRefused = numbers.some((number) => number.includes('BAD'));
        response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isRefused ? refusal : api.answer(numbers)));
      });
    });
    const prefix = name.toUpperCase();
    const account = { [`${prefix}_CLIENT_ID`]: 'id', [`${prefix}_CLIENT_SECRET`]: 'secret' };
    const overrides = { PROVIDER_URLS: `${name}=${url}`, PROVIDER_LIMITS: `${name}.floor_seconds=0` };
    return { calls, provider: testProvider(name, { ...account, ...overrides }) };
  }

  async function watch(count: number, bad: readonly number[]): Promise<string[]> {
    const account = await poller.account();
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const number = `${bad.includes(n) ? 'BAD' : 'OK'}${freshNumber()}`;
      ids.push(await poller.watch(account, number, { provider: name, carrier: name }));
    }
    return ids;
  }

  async function check(provider: ConnectedProvider, changed: Partial<PollerDeps> = {}): Promise<void> {
    const { batchSize: limit } = provider.limits;
    const claim = { provider: name, limit, cadence: CADENCE, now: poller.clock.now() };
    const claimed = await claimChecks(poller.db, claim);
    await query(poller.depsFor(provider, changed), { claimed });
  }

  const found = async (ids: readonly string[]) => {
    const parcels = await poller.db.tracking.findMany({ where: { id: { in: [...ids] } } });
    return parcels.filter(({ subStatus }) => subStatus === 'in_transit').length;
  };

  test.each([0, 13, 29])(
    'one bad number (%i) of a refused call fails alone, its neighbours are answered',
    async (bad) => {
      const { provider, calls } = await open();
      const ids = await watch(30, [bad]);
      await check(provider);
      expect(await found(ids)).toBe(29);
      // The whole call, and two halves for each time it is divided.
      expect(calls.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(30)));
      // Its merchant sees that the number is invalid, and it is not checked again.
      expect(await poller.check(ids[bad] ?? '')).toBeNull();
      expect(await poller.db.check.count()).toBe(29);
      expect(await poller.db.providerPause.findMany()).toEqual([]);
    },
  );

  test('a call whose refusal names no number is divided, too', async () => {
    const { provider } = await open(api.unknown);
    const ids = await watch(8, [5]);
    await check(provider);
    expect(await found(ids)).toBe(7);
  });

  test('with many bad numbers, a job makes no more than its share of calls, and the next jobs find them all', async () => {
    const { provider, calls } = await open();
    const ids = await watch(
      24,
      Array.from({ length: 12 }, (_, n) => 2 * n),
    );
    await check(provider);
    expect(calls).toHaveLength(16);
    for (let jobs = 0; jobs < 4; jobs++) await check(provider);
    expect(await found(ids)).toBe(12);
    expect(await poller.db.check.count()).toBe(12);
  });
});

test('a number that has a call refused because it is not known yet keeps getting calls of its own until it is', async () => {
  const known = found(scan(0, 'in_transit'));
  const unknown: CarrierAnswer = { kind: 'not_found' };
  const refused: CarrierAnswer = { kind: 'failed', failure: 'temporary', message: 'one is not known', isOfOne: true };
  let isKnown = false;
  const calls: number[] = [];
  const provider: ConnectedProvider = {
    ...scriptedProvider(() => known, { name: 'strict', batchSize: 8 }),
    ask: async (questions) => {
      calls.push(questions.length);
      const hasNew = !isKnown && questions.some(({ number }) => number.startsWith('NEW'));
      return questions.map(() => (hasNew ? (questions.length > 1 ? refused : unknown) : known));
    },
  };
  const account = await poller.account();
  for (const prefix of ['NEW', 'OK', 'OK', 'OK'])
    await poller.watch(account, `${prefix}${freshNumber()}`, { provider: 'strict' });
  const deps = poller.depsFor(provider);
  const callsOf = async () => {
    calls.length = 0;
    poller.clock.pass(2 * CADENCE.idleSeconds);
    const claim = { provider: 'strict', limit: 8, cadence: CADENCE, now: poller.clock.now() };
    await query(deps, { claimed: await claimChecks(poller.db, claim) });
    return calls.toSorted((a, b) => a - b);
  };
  expect(await callsOf()).toEqual([1, 1, 2, 2, 4]);
  expect(await callsOf()).toEqual([1, 3]);
  isKnown = true;
  expect(await callsOf()).toEqual([1, 3]);
  expect(await callsOf()).toEqual([4]);
});
