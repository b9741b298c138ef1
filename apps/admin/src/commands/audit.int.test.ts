import { userInfo } from 'node:os';
import { databasePerTest } from '../testing/database-per-test.ts';

const database = databasePerTest(1);

const run = (...argv: string[]) => database.run(argv, { USER: 'alice' });

type Entry = { at: string; actor: string; action: string; account_id: string | null; details: object };

async function entries(...argv: string[]): Promise<Entry[]> {
  const { code, stdout } = await run('audit', 'export', ...argv);
  expect(code).toBe(0);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Entry]));
}

async function newAccount(): Promise<string> {
  const { stdout } = await run('accounts', 'create', '--name', 'Shop', '--json');
  return (JSON.parse(stdout) as { account: { id: string } }).account.id;
}

test('what changes an account is kept with who did it, also a deletion that is refused, and reading is not', async () => {
  const id = await newAccount();
  await run('accounts', 'list');
  await run('accounts', 'set-quota', id, '500');
  await run('accounts', 'set-quota', id, 'many');
  await run('accounts', 'delete', id);
  await database.run(['accounts', 'disable', id], { USER: '' });
  const kept = (await entries()).map(({ actor, action, account_id, details }) => [actor, action, account_id, details]);
  expect(kept).toEqual([
    ['command alice', 'accounts create', id, {}],
    ['command alice', 'accounts set-quota', id, { id, units: '500' }],
    ['command alice', 'accounts delete', id, { id }],
    [`command ${userInfo().username}`, 'accounts disable', id, { id }],
  ]);
});

test.each(['UPDATE audit_log SET actor = NULL', 'DELETE FROM audit_log', 'TRUNCATE audit_log'])(
  'nobody changes it: %s is refused',
  async (statement) => {
    await newAccount();
    await expect(database.db.$executeRawUnsafe(statement)).rejects.toThrow('append-only');
    expect(await entries()).toHaveLength(1);
  },
);

describe('when the audit log takes no entries', () => {
  const fill = () => database.db.$executeRaw`ALTER TABLE audit_log ADD CONSTRAINT full_disk CHECK (false) NOT VALID`;

  test('the key of an account that was created is shown all the same, and the command fails', async () => {
    await fill();
    const text = await run('accounts', 'create', '--name', 'Shop');
    expect([text.code, text.stdout]).toEqual([1, expect.stringMatching(/tk_[0-9a-f]{48}/)]);
    expect(text.stderr).toMatch(
      /^The change was made, but it could not be recorded in the audit log: .*full_disk.*\.\n$/,
    );
    const json = await run('accounts', 'create', '--name', 'Shop', '--json');
    expect([json.code, JSON.parse(json.stdout).key]).toEqual([
      1,
      expect.objectContaining({ api_key: expect.any(String) }),
    ]);
    expect(JSON.parse(json.stderr).error.message).toContain('could not be recorded in the audit log');
  });
});
