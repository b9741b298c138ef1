import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { deleteTracking, updateTracking } from '@pts/db/trackings/records';
import { freshNumber } from '@pts/testing/factories';
import { query } from './ask.ts';
import { failed, found, openPollerTest, type PollerTest, scan, scriptedProvider } from './testing/test-poller.ts';

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
    await deleteTracking(poller.db, { accountId, id: gone, now: new Date() });
    return found(scan(1, 'in_transit'));
  });
  await query(poller.depsFor(provider), await poller.parcels(gone, kept));
  expect(await poller.emitted(gone)).toEqual([]);
  expect(await poller.emitted(kept)).toEqual(['tracking_update']);
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
