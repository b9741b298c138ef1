import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { START, watchedParcels } from '../testing/rings.ts';
import { readBacklogs } from './backlog.ts';

const { db, close } = await openTestDatabase(1);
afterAll(close);

const at = (seconds: number) => new Date(START.getTime() + seconds * 1000);

test('the oldest of a provider is its oldest single check or its oldest slot with a check, and nothing is due before', async () => {
  const parcels = await watchedParcels(db, 'both', 3);
  const single = await newAccount(db, START);
  await newTrackings(db, single, [freshNumber()], at(200), { provider: 'both' });
  const backlog = async (seconds: number) =>
    (await readBacklogs(db, at(seconds))).find(({ provider }) => provider === 'both');
  expect(await backlog(-1)).toBeUndefined();
  expect(await backlog(0)).toEqual({ provider: 'both', due: 3, oldestAt: at(0) });
  await parcels.claim();
  expect(await backlog(100)).toBeUndefined();
  expect(await backlog(200)).toEqual({ provider: 'both', due: 1, oldestAt: at(200) });
  const slots = await db.checkSlot.findMany({ where: { provider: 'both' }, orderBy: { dueAt: 'asc' } });
  expect(await backlog(2000)).toEqual({ provider: 'both', due: 4, oldestAt: at(200) });
  await db.check.deleteMany({ where: { accountId: single } });
  expect(await backlog(2000)).toEqual({ provider: 'both', due: 3, oldestAt: slots[0]?.dueAt });
  await db.check.deleteMany({ where: { provider: 'both', slot: slots[0]?.slot ?? -1 } });
  expect(await backlog(2000)).toMatchObject({ oldestAt: slots[1]?.dueAt });
});

test('a leased slot stays due until its claim ends, but not while a floor keeps others from claiming it', async () => {
  for (const [provider, floorSeconds, due] of [
    ['soon', 0, 2],
    ['floored', 3600, 0],
  ] as const) {
    const parcels = await watchedParcels(db, provider, 2, {
      cadence: { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds },
    });
    await parcels.claim();
    parcels.pass(8000);
    await parcels.take();
    const found = (await readBacklogs(db, parcels.now())).find((each) => each.provider === provider);
    expect([provider, found?.due ?? 0]).toEqual([provider, due]);
  }
});
