import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { claimChecks } from '@pts/db/checks/schedule';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { CADENCE, found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { query } from './query.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());

/** 40 parcels of a provider, queried in one call; the second one's answer is `poison`. */
async function batch(name: string, poison: () => CarrierAnswer) {
  const account = await poller.account(['tracking_update']);
  const numbers = Array.from({ length: 40 }, freshNumber);
  const ids = await newTrackings(poller.db, account, numbers, poller.clock.now(), { provider: name });
  const fine = found(scan(0, 'in_transit'));
  const provider = scriptedProvider(({ number }) => (number === numbers[1] ? poison() : fine), { name });
  const logged: object[] = [];
  const deps = poller.depsFor(provider);
  const logger = { ...deps.logger, info: () => {}, debug: () => {}, error: (fields: object) => logged.push(fields) };
  return {
    id: ids[1] ?? '',
    provider,
    logged,
    ask: async () => {
      // One claim may leave a part of a slot to the next one.
      for (let requested = 0; ; ) {
        const now = poller.clock.now();
        const claimed = await claimChecks(poller.db, { provider: name, limit: 40, cadence: CADENCE, now });
        if (claimed.length === 0) return requested;
        await query({ ...deps, logger: logger as unknown as typeof deps.logger }, { claimed });
        requested += claimed.length;
      }
    },
    stored: () => poller.db.tracking.count({ where: { id: { in: ids }, subStatus: 'in_transit' } }),
    unsaved: async () => {
      const { values } = await deps.metrics.unsaved.get();
      return values.find(({ labels }) => labels.provider === name)?.value ?? 0;
    },
  };
}

test('an answer with thousands of scans is stored within the limit, and is news once', async () => {
  const many = Array.from({ length: 5_000 }, (_, minute) => scan(minute, 'in_transit', `stop ${minute}`));
  const { id, ask } = await batch('endless', () => found(...many));
  for (let round = 0; round < 3; round++) {
    await ask();
    poller.clock.pass(330);
  }
  const { events } = await poller.tracking(id);
  expect(events).toEqual([many[0], ...many.slice(-499)]);
  expect(await poller.emitted(id)).toEqual(['tracking_update']);
});

test('an answer that cannot be stored does not affect others: its parcel keeps its interval, is counted, and logged once', async () => {
  const nonsense = { ...scan(0, 'in_transit'), status: 'no such status' as 'in_transit' };
  let poison = found(nonsense);
  const { id, ask, stored, logged, unsaved } = await batch('unsaved', () => poison);
  for (let round = 1; round <= 3; round++) {
    expect(await ask()).toBe(40);
    expect(await stored()).toBe(39);
    const check = await poller.check(id);
    expect(check).toMatchObject({ fingerprint: null, failure: 'unsaved' });
    const seconds = ((check?.nextCheckAt.getTime() ?? 0) - poller.clock.now().getTime()) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(270);
    expect(seconds).toBeLessThanOrEqual(330);
    expect(await unsaved()).toBe(round);
    poller.clock.pass(331);
  }
  expect(logged).toEqual([{ provider: 'unsaved', trackingId: id, reason: expect.any(String) }]);
  expect(poller.answered).not.toContain(id);
  poison = found(scan(0, 'in_transit'));
  await ask();
  expect(await stored()).toBe(40);
  expect(await poller.check(id)).toMatchObject({ failure: null, failingSince: null });
});
