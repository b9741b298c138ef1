import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { START, watchedParcels } from '../testing/rings.ts';
import { readProviderHealth } from './health.ts';
import { countFailure, pauseProvider } from './pauses.ts';

const { db, close } = await openTestDatabase(2);
afterAll(close);

const at = (seconds: number) => new Date(START.getTime() + seconds * 1000);

test('a provider has its pause, its oldest check, single or in a slot, and when one was last begun', async () => {
  const nothing = { pausedUntil: null, oldestDueAt: null, checkedAt: null };
  expect(await readProviderHealth(db, ['nobody'], at(0))).toEqual([{ provider: 'nobody', ...nothing }]);
  const parcels = await watchedParcels(db, 'both', 3);
  await newTrackings(db, await newAccount(db, START), [freshNumber()], at(200), { provider: 'both' });
  const health = async (seconds: number) => (await readProviderHealth(db, ['both'], at(seconds)))[0];
  expect(await health(0)).toMatchObject({ oldestDueAt: at(0), pausedUntil: null });
  await parcels.claim();
  expect(await health(200)).toMatchObject({ oldestDueAt: at(200) });
  const call = { failure: 'transient' as const, reason: '503', trackingIds: [], requestedAt: at(0), now: at(0) };
  await countFailure(db, { provider: 'both', ...call });
  await pauseProvider(db, 'both', at(900), at(0));
  expect(await health(200)).toMatchObject({ pausedUntil: at(900) });
});
