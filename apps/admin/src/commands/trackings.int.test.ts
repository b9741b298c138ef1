import { loadDue, recordAttempts } from '@pts/db/deliveries/attempts';
import {
  allDue,
  attemptOf,
  freshNumber,
  newAccount,
  newDeliveries,
  newTrackings,
  newWebhook,
} from '@pts/testing/factories';
import { databasePerTest } from '../testing/database-per-test.ts';

const NOW = new Date();

const database = databasePerTest();

const show = (...argv: string[]) => database.run(['trackings', 'show', ...argv]);

test('everything that is known of a tracking, from its check to each push and its last answer', async () => {
  const accountId = await newAccount(database.db, NOW);
  const { id: webhookId } = await newWebhook(database.db, accountId, NOW);
  await newDeliveries(database.db, accountId, NOW);
  const { id, trackingNumber } = await database.db.tracking.findFirstOrThrow();
  const [due] = await loadDue(database.db, [allDue({ id: webhookId, accountId })], NOW);
  if (!due) throw new Error('nothing is due');
  await recordAttempts(database.db, [
    attemptOf(due, { startedAt: NOW, statusCode: 500, error: 'HTTP 500', state: 'exhausted' }),
  ]);
  await database.run(['providers', 'pause', 'ups', '--for', '1h']);
  await database.db.providerPause.updateMany({ where: { provider: 'ups' }, data: { provider: 'scripted' } });
  const { stdout } = await show(id);
  for (const part of [
    id,
    trackingNumber,
    accountId,
    'Merchant',
    'in_transit',
    '已取件',
    'scripted',
    'until',
    'HTTP 500',
  ])
    expect(stdout).toContain(part);
  const { trackings } = JSON.parse((await show(trackingNumber.toLowerCase(), '--json')).stdout);
  expect(trackings).toEqual([
    expect.objectContaining({
      id,
      account: { id: accountId, name: 'Merchant', test: false, disabled: false },
      provider: expect.objectContaining({ name: 'scripted', pause: expect.objectContaining({ failure: 'operator' }) }),
      check: expect.objectContaining({ fingerprint: 'first' }),
      events: [expect.objectContaining({ status: 'in_transit', zone_source: 'carrier' })],
      pushes: [
        expect.objectContaining({
          event: 'tracking_update',
          webhook_id: webhookId,
          state: 'exhausted',
          last_attempt: expect.objectContaining({ status_code: 500, error: 'HTTP 500' }),
        }),
      ],
    }),
  ]);
});

test('a number that several accounts have shows each; the audit log names who looked, and no number', async () => {
  const number = freshNumber();
  const accounts = [await newAccount(database.db, NOW), await newAccount(database.db, NOW)];
  for (const accountId of accounts) await newTrackings(database.db, accountId, [number], NOW);
  const { trackings } = JSON.parse((await show(number, '--json')).stdout) as {
    trackings: { account: { id: string } }[];
  };
  expect(trackings.map(({ account }) => account.id).sort()).toEqual([...accounts].sort());
  expect((await show(number)).stdout).toContain('There are no events');
  const kept = await database.db.auditEntry.findMany({ where: { accountId: accounts[1] ?? '' } });
  expect(kept.map(({ action, details }) => [action, details])).toEqual(Array(2).fill(['trackings show', {}]));
});
