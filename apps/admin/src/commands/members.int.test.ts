import { databasePerTest } from '../testing/database-per-test.ts';

const database = databasePerTest(1);
const run = (...argv: string[]) => database.run(argv, { USER: 'alice' });

test('the operator adds, lists and removes members, and the audit log has no address of them', async () => {
  const { stdout } = await run('accounts', 'create', '--name', 'Shop', '--json');
  const { id } = JSON.parse(stdout).account as { id: string };
  const add = (email: string, ...role: string[]) => run('members', 'add', id, email, ...role);
  expect((await add('Alice@example.com')).stdout).toContain('alice@example.com is a member of Shop');
  expect((await add('alice@example.com')).stderr).toContain('alice@example.com is already a member of the account');
  expect((await add('bob@example.com', '--role', 'owner')).stderr).toContain(
    '--role must be one of viewer, editor, developer, admin',
  );
  expect((await add('bob')).stderr).toContain('EMAIL must be an e-mail address');
  const listed = async () => JSON.parse((await run('members', 'list', id, '--json')).stdout).members;
  const [alice] = await listed();
  expect(alice).toMatchObject({ email: 'alice@example.com', role: 'admin', invited_by: 'operator' });
  expect((await run('members', 'remove', id, alice.id)).stderr).toContain('only administrator');
  await add('bob@example.com');
  expect((await run('members', 'remove', id, alice.id)).code).toBe(0);
  expect(await listed()).toMatchObject([{ email: 'bob@example.com' }]);
  const { stdout: log } = await run('audit', 'export', '--account', id);
  expect(log).toContain('"action":"members remove"');
  expect(log).not.toContain('@example.com');
});
