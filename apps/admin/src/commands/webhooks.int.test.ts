import { newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { databasePerTest } from '../testing/database-per-test.ts';

const NOW = new Date();
const HOUR_AGO = new Date(NOW.getTime() - 3_600_000).toISOString();

const database = databasePerTest();

const run = (...argv: string[]) => database.run(['webhooks', ...argv]);
const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout) as unknown;

async function withEvent() {
  const accountId = await newAccount(database.db, NOW);
  const { id, url } = await newWebhook(database.db, accountId, NOW, { encryptedSecret: 'v1.sealed-secret' });
  await newDeliveries(database.db, accountId, NOW);
  return { accountId, id, url };
}

test("an account's webhooks are listed with what is wrong with them, without secrets, and can be enabled", async () => {
  const { accountId, id, url } = await withEvent();
  const past = { failingSince: NOW, notBefore: new Date(HOUR_AGO) };
  const disabled = { enabled: false, disabledAt: NOW, disabledReason: 'failed for 5 days', ...past };
  await database.db.webhook.update({ where: { id }, data: disabled });
  const { stdout } = await run('list', accountId);
  expect(stdout).toMatch(new RegExp(`${id} +${url} .* 1 +disabled since .*: failed for 5 days`));
  expect(await json('list', accountId)).toMatchObject({ webhooks: [{ id, retry_after: null }] });
  expect(await json('enable', id)).toEqual({
    webhook: expect.objectContaining({ id, enabled: true, failing_since: null, disabled_reason: null }),
  });
  expect((await run('list', accountId)).stdout).toContain('healthy');
  expect(JSON.stringify(await json('list', accountId))).not.toContain('sealed');
  const [entry] = await database.db.auditEntry.findMany();
  expect(entry).toMatchObject({ action: 'webhooks enable', accountId, details: { webhookId: id } });
});

test('a receiver that is gone is disabled with a reason that its account sees; the first reason stays', async () => {
  const { id } = await withEvent();
  const disabled = { id, enabled: false, disabled_reason: 'by the operator: moved away' };
  expect(await json('disable', id, '--reason', 'moved away')).toEqual({ webhook: expect.objectContaining(disabled) });
  expect((await run('disable', id)).stdout).toContain('was already disabled');
  expect(await database.db.webhook.findMany()).toMatchObject([{ disabledReason: disabled.disabled_reason }]);
  expect(await json('enable', id)).toMatchObject({ webhook: { enabled: true, disabled_reason: null } });
});

test('a replay sends the events of a time range again; a dry run only counts them', async () => {
  const { id } = await withEvent();
  expect(await json('replay', id, '--since', HOUR_AGO, '--dry-run')).toEqual({
    webhook_id: id,
    total: 1,
    dry_run: true,
  });
  expect(await database.db.replay.count()).toBe(0);
  expect(await json('replay', id, '--since', HOUR_AGO)).toMatchObject({ total: 1, dry_run: false });
  expect(await database.db.replay.findMany()).toMatchObject([{ webhookId: id, state: 'running' }]);
  const again = await run('replay', id, '--since', HOUR_AGO);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already has a running replay')]);
});
