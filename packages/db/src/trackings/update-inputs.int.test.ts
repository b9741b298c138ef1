import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { updateInputs } from './records.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');

const { db, close } = await openTestDatabase(8);
afterAll(close);

test('a number that its provider refused is wanted again with another field that the carrier may need, and with nothing else', async () => {
  const [accountId, trackingNumber] = [await newAccount(db, NOW), freshNumber()];
  const [id = ''] = await newTrackings(db, accountId, [trackingNumber], NOW);
  const { provider, carrier } = await db.tracking.findFirstOrThrow({ where: { id, accountId } });
  const subscription = { trackingNumber, provider, carrier };
  await db.subscription.create({ data: { ...subscription, state: 'refused', updatedAt: NOW } });
  const stateAfter = async (inputs: { title?: string; phone?: string }) => {
    await updateInputs(db, accountId, [{ id, inputs }], NOW);
    return db.subscription.findFirst({ where: subscription, select: { state: true, retryAt: true } });
  };
  expect(await stateAfter({ title: 'shoes' })).toEqual({ state: 'refused', retryAt: null });
  expect(await stateAfter({ phone: '5678' })).toEqual({ state: 'wanted', retryAt: NOW });
  await db.subscription.updateMany({ where: subscription, data: { state: 'refused', retryAt: null } });
  expect(await stateAfter({ title: 'boots', phone: '5678' })).toEqual({ state: 'refused', retryAt: null });
});
