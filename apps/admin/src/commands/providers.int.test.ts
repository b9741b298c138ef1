import { recordingServer, stopServers } from '@pts/carriers/testing/local-server';
import { spendCall } from '@pts/db/providers';
import { databasePerTest } from '../testing/database-per-test.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const DHL = { DHL_UNIFIED_API_KEY: 'its-key', PROVIDER_LIMITS: 'dhl-unified.daily_budget=3' };
const NUMBER = 'JD014600003RU';

const database = databasePerTest();
afterEach(async () => {
  await stopServers();
});

const run = (argv: string[], env: NodeJS.ProcessEnv = {}) =>
  database.run(['providers', ...argv], { USER: 'alice', ...env }, () => NOW);

async function json<T>(argv: string[], env: NodeJS.ProcessEnv = {}): Promise<T> {
  const { code, stdout } = await run([...argv, '--json'], env);
  expect(code).toBe(0);
  return JSON.parse(stdout) as T;
}

const audited = () =>
  database.db.auditEntry.findMany({ select: { actor: true, action: true, details: true }, orderBy: { id: 'asc' } });

test('a pause is listed with its end, who wants it and why, until it is ended; both are in the audit log', async () => {
  await run(['pause', 'kuaidi100', '--for', '90m', '--reason', 'contract'], {});
  const { providers } = await json<{ providers: unknown[] }>(['list'], DHL);
  const pause = { state: 'paused', by: 'operator', reason: 'contract', paused_until: '2031-04-05T07:30:00Z' };
  expect(providers).toEqual([
    expect.objectContaining({ provider: 'dhl-unified', on: true, state: 'ok', paused_until: null }),
    ...['kuaidi100', 'kuaidi100:release', 'kuaidi100:subscribe'].map((provider) =>
      expect.objectContaining({ provider, on: false, ...pause }),
    ),
  ]);
  expect(await json(['resume', 'kuaidi100'])).toEqual({ provider: 'kuaidi100', was_paused: true });
  expect((await run(['resume', 'kuaidi100'])).stdout).toBe('kuaidi100 was not paused.\n');
  expect((await run(['list'])).stdout).toBe('No provider is on here, and none is paused.\n');
  expect((await audited()).map(({ action }) => action)).toEqual(
    ['pause', 'resume', 'resume'].map((v) => `providers ${v}`),
  );
});

test.each([
  [['pause', 'nobody', '--for', '1h'], /Unknown provider "nobody"\. Choose one of /],
  [['pause', 'ups'], /Add either --for with a duration/],
  [['pause', 'ups', '--for', '1h', '--until', '2031-04-06T00:00:00Z'], /Add either --for with a duration/],
  [['pause', 'ups', '--for', 'ever'], /--for must be a number and a unit/],
  [['pause', 'ups', '--until', 'tomorrow'], /--until must be a time/],
  [['pause', 'ups', '--until', '2031-04-05T05:00:00Z'], /The end must be in the future, at most 30 days/],
  [['pause', 'ups', '--for', '31d'], /The end must be in the future, at most 30 days/],
  [['try', 'ups', '1'], /5 to 50 letters and digits/],
])('%j is refused, and nothing is paused', async (argv, message) => {
  const { code, stderr } = await run(argv);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect([await database.db.providerPause.count(), await audited()]).toEqual([0, []]);
});

describe('try', () => {
  const tryWith = async (status: number, body: string, argv: string[] = []) => {
    const carrier = await recordingServer({ status, body });
    const ran = await run(['try', 'dhl-unified', NUMBER, '--carrier', 'dhl', ...argv], {
      ...DHL,
      PROVIDER_URLS: `dhl-unified=${carrier.baseUrl}`,
    });
    return { ...ran, carrier };
  };

  test('asks once with the credentials of the environment, takes a call of the budget, and keeps no number', async () => {
    const { code, stdout, carrier } = await tryWith(404, '{"status":404,"title":"Not Found"}');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^dhl-unified \(dhl\) responded in \d+ ms: number not found/),
    ]);
    expect(carrier.headers).toEqual([expect.objectContaining({ 'dhl-api-key': 'its-key' })]);
    const [usage] = await database.db.providerUsage.findMany();
    expect(usage).toMatchObject({ provider: 'dhl-unified', calls: 1 });
    expect(await audited()).toEqual([
      { actor: 'command alice', action: 'providers try', details: { name: 'dhl-unified', carrier: 'dhl' } },
    ]);
  });

  test('fails if the provider refuses the credentials', async () => {
    const { code, stdout } = await tryWith(401, '{"status":401,"title":"Unauthorized"}', ['--json']);
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ answer: 'failed', failure: 'auth' })]);
  });

  test('makes no call once the budget is spent', async () => {
    for (let n = 0; n < 3; n++) await spendCall(database.db, 'dhl-unified', 3, NOW);
    const { code, stderr, carrier } = await tryWith(404, '{}');
    expect([code, stderr, carrier.requested]).toEqual([1, expect.stringContaining('(3 calls) is used up'), []]);
  });
});
