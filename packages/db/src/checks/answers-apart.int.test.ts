import { type CarrierAnswer, fingerprintOf } from '@pts/core/tracking/answer';
import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, keyOf, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import { openDatabase } from '../connection.ts';
import { saveAnswersApart } from './answers.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

const { db, url, close } = await openTestDatabase(4);
afterAll(close);

async function changed(description: (n: number) => string) {
  const account = await newAccount(db, NOW);
  const webhook = await newWebhook(db, account, NOW);
  const numbers = Array.from({ length: 40 }, freshNumber);
  const ids = await newTrackings(db, account, numbers, NOW);
  const answers = ids.map((trackingId, n) => {
    const time = '2031-04-01T00:00:00Z';
    const scan = { time, timeRaw: time, zoneSource: 'carrier', location: '', status: 'in_transit' } as const;
    const answer: CarrierAnswer = { kind: 'found', scans: [{ ...scan, description: description(n) }] };
    return { trackingId, accountId: account, answer, fingerprint: fingerprintOf(answer, NOW) ?? '', finalLook: false };
  });
  return { answers, ids, webhook };
}
const answeredOf = (ids: string[]) => db.tracking.count({ where: { id: { in: ids }, answeredAt: NOW } });

test.each(['\u0000', '\ud83d'])(
  'in a batch of 40, the one answer that Postgres refuses (%j) is reported, the other 39 are stored',
  async (poison) => {
    const { answers, ids, webhook } = await changed((n) => (n === 17 ? `bad${poison}` : 'on its way'));
    const { pending, unsaved } = await saveAnswersApart(db, answers, CADENCE, NOW);
    expect(unsaved).toEqual([{ trackingId: ids[17], error: expect.any(Error) }]);
    expect(pending).toEqual([{ ...keyOf(webhook), isFailing: false }]);
    expect(await answeredOf(ids)).toBe(39);
    expect(await db.message.count({ where: { trackingId: { in: ids } } })).toBe(39);
  },
);

test('with an unreachable database the whole call fails and can be retried', async () => {
  const { answers, ids } = await changed(() => 'on its way');
  const away = openDatabase({ url: url.replace(/:\d+\//, ':1/'), poolSize: 1 });
  await expect(saveAnswersApart(away, answers, CADENCE, NOW)).rejects.toThrow();
  await away.$disconnect();
  expect(await answeredOf(ids)).toBe(0);
});
