import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { updateTracking } from '@pts/db/trackings/changes';
import { deleteTracking } from '@pts/db/trackings/records';
import { freshNumber } from '@pts/testing/factories';
import { failed, found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { query } from './query.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
}, 60_000);
afterAll(() => poller.close());

/** Has a provider asked about a parcel; `beforeAnswer` runs while the call is in flight. */
async function askAbout(id: string, answer: CarrierAnswer, beforeAnswer: () => Promise<unknown> = async () => {}) {
  const provider = scriptedProvider(async () => {
    await beforeAnswer();
    return answer;
  });
  await query(poller.depsFor(provider), await poller.parcels(id));
}

const move = (accountId: string, id: string) =>
  updateTracking(poller.db, {
    accountId,
    id,
    now: poller.clock.now(),
    change: { move: { carrier: 'sto', provider: 'other', detected: false, floorSeconds: 0 } },
  });

test('deleting a parcel during its check fails nothing, and the others of its batch are stored', async () => {
  const accountId = await poller.account(['tracking_update']);
  const [gone, kept] = [await poller.watch(accountId, freshNumber()), await poller.watch(accountId, freshNumber())];
  const provider = scriptedProvider(async () => {
    await deleteTracking(poller.db, accountId, gone);
    return found(scan(1, 'in_transit'));
  });
  await query(poller.depsFor(provider), await poller.parcels(gone, kept));
  expect(await poller.emitted(gone)).toEqual([]);
  expect(await poller.emitted(kept)).toEqual(['tracking_update']);
});

test('an answer that arrives after the parcel was moved to another carrier is dropped', async () => {
  const accountId = await poller.account(['tracking_update']);
  const id = await poller.watch(accountId, freshNumber());
  await askAbout(id, found(scan(1, 'delivered')), () => move(accountId, id));
  expect(await poller.emitted(id)).toEqual([]);
  expect(await poller.tracking(id)).toMatchObject({ carrier: 'sto', subStatus: 'pending', events: [] });
  expect(await poller.check(id)).toMatchObject({ provider: 'other', fingerprint: null });
});

test.each(['quota', 'transient', 'temporary'] as const)(
  'a check that fails (%s) after the parcel was moved to another carrier leaves the check there due at once',
  async (failure) => {
    const accountId = await poller.account(['tracking_update']);
    const id = await poller.watch(accountId, freshNumber());
    await askAbout(id, failed(failure), () => move(accountId, id));
    expect(await poller.check(id)).toMatchObject({
      provider: 'other',
      nextCheckAt: poller.clock.now(),
      failure: null,
      failingSince: null,
    });
    await poller.db.providerPause.deleteMany();
  },
);

test('the final check of a delivered parcel does not end polling of the carrier it was moved to', async () => {
  const accountId = await poller.account(['tracking_update']);
  const id = await poller.watch(accountId, freshNumber());
  await askAbout(id, found(scan(1, 'delivered')));
  poller.clock.pass(24 * 3600);
  await askAbout(id, found(scan(1, 'delivered')), () => move(accountId, id));
  expect(await poller.check(id)).toMatchObject({ carrier: 'sto', finalLook: false });
});

test('the duration of the call is stored only with an answer that has something new', async () => {
  const accountId = await poller.account(['tracking_update']);
  const id = await poller.watch(accountId, freshNumber());
  await askAbout(id, found(scan(1, 'in_transit')));
  const { lastAnswer } = await poller.tracking(id);
  expect(lastAnswer).toMatchObject({ kind: 'found', scans: 1, at: poller.clock.now().toISOString() });
  expect((lastAnswer as { latencyMs: number }).latencyMs).toBeGreaterThanOrEqual(0);
  poller.clock.pass(3600 * 2);
  await askAbout(id, found(scan(1, 'in_transit')));
  expect((await poller.tracking(id)).lastAnswer).toEqual(lastAnswer);
});
