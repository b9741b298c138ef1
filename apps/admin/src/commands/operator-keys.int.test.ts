import { findOperatorKey } from '@pts/db/accounts/operator-keys';
import { databasePerTest } from '../testing/database-per-test.ts';

const database = databasePerTest();
const run = (...argv: string[]) => database.run(argv, { USER: 'alice' });

async function create(...more: string[]) {
  const { code, stdout } = await run('operator-keys', 'create', '--name', 'acme', ...more, '--json');
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { key: { id: string; operator_key: string; hint: string } }).key;
}

test('an operator key is shown once, stored as a hash, listed with its limits, and revoked', async () => {
  const key = await create('--networks', '203.0.113.7/24', '--expires', '2099-01-31T00:00:00Z');
  expect(key).toMatchObject({ operator_key: expect.stringMatching(/^otk_[0-9a-f]{48}$/), name: 'acme' });
  expect(await findOperatorKey(database.db, key.operator_key)).toMatchObject({ id: key.id });
  expect(JSON.stringify(await database.db.operatorKey.findMany())).not.toContain(key.operator_key.slice(8, 40));
  const listed = await run('operator-keys', 'list');
  expect(listed.stdout).toMatch(/otk_.*acme +203\.0\.113\.0\/24 +2099-01-31T00:00:00Z/);
  expect(listed.stdout).not.toContain(key.operator_key);
  expect((await run('operator-keys', 'revoke', key.id)).code).toBe(0);
  expect(await findOperatorKey(database.db, key.operator_key)).toBeNull();
  expect((await run('operator-keys', 'list')).stdout).toContain('There are no operator keys.');
  expect((await run('operator-keys', 'list', '--revoked')).stdout).toContain(key.id);
  expect(await run('operator-keys', 'revoke', key.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`No such active key: ${key.id}`),
  });
});

test('creating and revoking are in the audit log; an operator key is no argument of a command', async () => {
  const key = await create();
  expect(await run('operator-keys', 'revoke', key.operator_key)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not accept keys or secrets as arguments'),
  });
  await run('operator-keys', 'revoke', key.id);
  const kept = await database.db.auditEntry.findMany({ orderBy: { id: 'asc' } });
  expect(kept.map(({ actor, action, details }) => [actor, action, details])).toEqual([
    ['command alice', 'operator-keys create', { name: 'acme' }],
    ['command alice', 'operator-keys revoke', { keyId: key.id }],
  ]);
});

test.each([
  ['--name', 'x'.repeat(101), /^Invalid: --name must have 1 to 100 characters/],
  ['--expires', '2020-01-01T00:00:00Z', /^Invalid: --expires must be in the future/],
  ['--networks', '10.0.0.0/40', /^Invalid: --networks must be an address or a CIDR range/],
])('a wrong %s (%s) creates none', async (option, value, message) => {
  const { code, stderr } = await run('operator-keys', 'create', '--name', 'acme', option, value);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(await database.db.operatorKey.count()).toBe(0);
});
