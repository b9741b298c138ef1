import { freePort } from '@pts/embedded/machine';
import { eventually } from '@pts/testing/eventually';
import { type Programs, prepareProgram } from '../testing/program.ts';

// Its parent plays the database: a check returns the last message received over IPC.
const SOURCE = `
  import { runProcess } from './process/boot.ts';
  import { createSharedClock } from './process/clock.ts';
  import { createLogger } from './logger.ts';
  import { createRegistry } from './metrics.ts';
  import { boot } from './process/boot.ts';

  const say = (text: string) => process.stdout.write(text + '\\n');
  let checks = { database: { state: 'unreachable', what: 'PostgreSQL at db:5432', reason: 'away' } };
  let refusal: () => Promise<string | null> | string | null = () => null;
  let close = () => {};
  let skewMs = 0;
  // Log lines may come between any two of these.
  let [messages, looks] = [0, 0];
  process.on('message', (message: { checks?: typeof checks; refusal?: string; trouble?: boolean; skewMs?: number; stops?: true }) => {
    if (message.skewMs !== undefined) skewMs = message.skewMs;
    if (message.refusal !== undefined) { const text = message.refusal; refusal = () => text; }
    if (message.trouble) refusal = () => { refusal = () => null; throw new Error('the connection broke'); };
    if (message.stops) refusal = async () => { const closed = new Promise<void>((done) => { close = done; }); process.kill(process.pid, 'SIGTERM'); await closed; throw new Error('the pool has ended'); };
    if (message.checks) checks = message.checks;
    [messages, looks] = [messages + 1, 0];
  });
  const config = { logLevel: 'info', logFormat: 'json', shutdownTimeoutSeconds: 60, managementPort: Number(process.env.MANAGEMENT_PORT ?? 0) };
  void boot('test', process.env, () => runProcess({
    misspelled: ['WEBHOOK_CONCURENCY is not a setting; did you mean WEBHOOK_CONCURRENCY?'],
    app: 'test',
    config: config as never,
    logger: createLogger({ app: 'test', level: 'info', format: 'json' }),
    registry: createRegistry('test'),
    needs: { check: async () => { say('look ' + ++looks + ' after message ' + messages); return checks as never; }, schemaVersion: () => null, certificateExpiresAt: () => null, close: async () => { say('needs closed'); close(); } },
    open: async () => ({
      about: { store: 'none' },
      clock: createSharedClock({ read: async () => new Date(Date.now() - skewMs) }),
      refusal: async () => refusal(),
      isLive: () => true,
      begin: () => { console.warn('a library warns of %s', 'this'); say('begun'); },
      stop: async () => say('closed'),
    }),
  }));
`;

const DATABASE = { state: 'unreachable', what: 'PostgreSQL at db:5432' };
const OK = { state: 'ok' };
const FIT = { database: OK, schema: OK };
const LACKING = { database: OK, schema: { state: 'unfit', reason: 'the database schema lacks migration 1_x: run it' } };

let programs: Programs;
beforeAll(async () => {
  programs = await prepareProgram(SOURCE);
});
afterAll(() => programs.remove());

const count = (text: string, part: string) => text.split(part).length - 1;

test('a process starts on its own once its requirements are met, and logs each reason once', async () => {
  const { child, says, ended } = programs.start();
  await says('look 2 after message 0\n');
  const reasons = ['wrong password', 'no answer within 500 ms', 'no answer within 501 ms', 'wrong password'];
  for (const [sent, reason] of reasons.entries()) {
    child.send({ checks: { database: { ...DATABASE, reason } } });
    await says(`look 1 after message ${sent + 1}\n`);
  }
  child.send({ checks: LACKING });
  await says('look 2 after message 5\n');
  child.send({ checks: FIT });
  await says('"msg":"ready"');
  child.kill('SIGTERM');
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(count(stdout, '"msg":"waiting for PostgreSQL at db:5432 (away)"')).toBe(1);
  expect(count(stdout, '"msg":"waiting for PostgreSQL at db:5432 (wrong password)"')).toBe(1);
  expect(count(stdout, '"msg":"waiting for PostgreSQL at db:5432 (no answer within')).toBe(1);
  expect(count(stdout, '"msg":"waiting: the database schema lacks migration 1_x: run it"')).toBe(1);
  expect(count(stdout, '"msg":"dependencies are available"')).toBe(1);
  expect(stdout).toMatch(/"store":"none".*"msg":"ready"/);
  expect(stdout).toMatch(/^\{"level":"warn",.*"msg":"a library warns of this"\}$/m);
  expect(count(stdout, 'begun\n')).toBe(1);
  expect(stdout).toContain('closed\n');
});

test('requests reach a process while its database is away; before it has worked, not while it is refused', async () => {
  const port = await freePort();
  const { child, ended } = programs.start({ MANAGEMENT_PORT: String(port) });
  const answers = (http: number, status: string) =>
    eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect([response.status, await response.json()]).toEqual([http, expect.objectContaining({ status })]);
    });
  const away = { ...DATABASE, reason: 'away' };
  const refused = { state: 'unfit', reason: 'PostgreSQL refuses this process' };
  await answers(200, 'waiting');
  child.send({ checks: { database: refused } });
  await answers(503, 'unavailable');
  child.send({ checks: { database: away } });
  await answers(200, 'waiting');
  child.send({ checks: FIT });
  await answers(200, 'ok');
  for (const database of [away, refused]) {
    child.send({ checks: { database } });
    await answers(200, 'waiting');
    child.send({ checks: FIT });
    await answers(200, 'ok');
  }
  child.kill('SIGTERM');
  await ended;
});

test('a process whose clock is wrong is not ready, says why, and does not start', async () => {
  const port = await freePort();
  const { child, says, ended } = programs.start({ MANAGEMENT_PORT: String(port) });
  const readyz = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    const { checks } = (await response.json()) as { checks: object };
    return { status: response.status, checks };
  };
  const wrong = (reason: string) => ({ status: 503, checks: expect.objectContaining({ clock: reason }) });
  child.send({ skewMs: 93_600_000 });
  child.send({ checks: FIT });
  await says("waiting: clock is 93,600 s ahead of PostgreSQL's, so the process takes no work");
  expect(await readyz()).toEqual(wrong("clock is 93,600 s ahead of PostgreSQL's, so the process takes no work"));
  child.send({ skewMs: 0 });
  await says('"msg":"ready"');
  expect(await readyz()).toEqual({ status: 200, checks: { database: 'ok', schema: 'ok', clock: 'ok' } });
  child.send({ skewMs: -3_600_000 });
  await says("clock is 3,600 s behind PostgreSQL's, so the process takes no work");
  expect(await readyz()).toEqual(wrong("clock is 3,600 s behind PostgreSQL's, so the process takes no work"));
  child.send({ skewMs: 0 });
  await says('the clock is correct again, and the process takes work');
  expect(await readyz()).toMatchObject({ status: 200 });
  child.kill('SIGTERM');
  const { stdout } = await ended;
  expect(count(stdout, 'takes no work')).toBe(2);
  expect(count(stdout, 'begun\n')).toBe(1);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s while it waits ends it with code 0, before any work starts',
  async (signal) => {
    const { child, says, ended } = programs.start();
    await says('waiting for PostgreSQL');
    child.kill(signal);
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).not.toContain('begun');
    expect(stdout).toContain('needs closed');
  },
);

test('what fails at boot because the process stops is not logged', async () => {
  const { child, ended } = programs.start();
  child.send({ stops: true });
  child.send({ checks: FIT });
  const { code, stdout } = await ended;
  expect([code, count(stdout, 'needs closed'), count(stdout, 'the pool has ended')]).toEqual([0, 1, 0]);
});

test('a process that must not start ends with code 1 and the reason in one line', async () => {
  const { child, says, ended } = programs.start();
  await says('waiting for PostgreSQL');
  child.send({ refusal: 'ENCRYPTION_KEY is another one.', checks: FIT });
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', app: 'test', msg: 'ENCRYPTION_KEY is another one.' });
  expect(stdout).toMatch(/^\{"level":"warn",.*did you mean WEBHOOK_CONCURRENCY\?"\}$/m);
  expect(stdout).not.toContain('begun');
});

test('a process waits for a database that becomes unavailable during the check before the start', async () => {
  const { child, says, ended } = programs.start();
  await says('waiting for PostgreSQL');
  child.send({ trouble: true, checks: FIT });
  await says('"msg":"waiting: the connection broke"');
  await says('begun');
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
