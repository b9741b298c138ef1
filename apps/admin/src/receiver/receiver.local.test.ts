import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeService } from '../testing/fake-service.ts';
import { push, SECRET, type Sent } from '../testing/push.ts';
import { admin, type Ran } from '../testing/run.ts';

type Running = { url: string; lines(): Record<string, unknown>[]; output(): string; stop(): Promise<Ran> };

/** Runs `receiver` on a free port until it is stopped. */
async function start(argv: string[], env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const requested = new AbortController();
  let written = '';
  let listening: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const write = (text: string) => {
    written += text;
    const [, found] = /(?:Listening on |"url":")(http:\/\/127\.0\.0\.1:\d+\/)/.exec(written) ?? [];
    // The last line before it waits.
    if (found && /Ctrl-C|"listening"/.test(written)) listening(found);
  };
  const ran = admin(
    ['receiver', ...(env.STANDALONE_DIR ? [] : ['--port', '0']), ...argv],
    env,
    undefined,
    () => requested.signal,
    write,
  );
  const stop = () => {
    requested.abort();
    return ran;
  };
  const failed = ran.then(({ stderr }) => Promise.reject(new Error(stderr)));
  const found = await Promise.race([url, failed]);
  failed.catch(() => {});
  const lines = () =>
    written
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  return { url: found, lines, output: () => written, stop };
}

/** The output of `receiver --json` for some pushes, and its responses. */
async function receive(argv: string[], pushes: Sent[], env: NodeJS.ProcessEnv = {}) {
  const receiver = await start(['--json', ...argv], env);
  const statuses: number[] = [];
  for (const one of pushes)
    statuses.push(
      await push(receiver.url, one).then(
        ({ status }) => status,
        () => 0,
      ),
    );
  const said = receiver.lines().filter(({ type }) => type === 'push');
  await receiver.stop();
  return { statuses, said };
}

const VERIFY = { WEBHOOK_SECRET: SECRET };

describe('a push', () => {
  test('is shown with its event, parcel, latest scan and verification', async () => {
    const receiver = await start([], VERIFY);
    await push(receiver.url);
    const { code, stdout } = await receiver.stop();
    expect(code).toBe(0);
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}tracking_update {2}SBXEXPRESS1 {2}派送中 \(out_for_delivery\)\n/);
    expect(stdout).toContain('2026-03-01T10:00:00Z  深圳  Out for delivery\n');
    expect(stdout).toContain('verified · attempt 1 · seq 1 · message m-1 · responded 200\n');
    expect(stdout).toMatch(/Stopped\.\n$/);
    expect(stdout).not.toContain('\u001b');
  });

  test('is answered as spec section 6.3 requires', async () => {
    const stale = new Date(Date.now() - 400_000);
    const { statuses, said } = await receive([], [{}, { sentAt: stale }, { secret: 'whsec_other' }], VERIFY);
    expect(statuses).toEqual([200, 400, 401]);
    expect(said.map(({ verified, reason }) => [verified, reason])).toEqual([
      [true, null],
      [false, 'timestamp_out_of_tolerance'],
      [false, 'signature_mismatch'],
    ]);
  });

  test('is not recorded if it was not verified, whatever the response', async () => {
    const pushes = [{ secret: 'whsec_other', seq: 9 }, { seq: 1 }];
    const { said } = await receive(['--status', '200'], pushes, VERIFY);
    expect(said[1]).toMatchObject({ verified: true, duplicate: false, stale: false });
  });

  test('cannot send control characters to the terminal', async () => {
    const receiver = await start([]);
    await fetch(receiver.url, { method: 'POST', body: '{"event":"\\u001b[2Jx"}' });
    await fetch(receiver.url, { method: 'POST', body: 'no JSON' });
    expect((await fetch(receiver.url)).status).toBe(405);
    const { stdout } = await receiver.stop();
    expect(stdout).toContain('�[2Jx');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('simulating faults', () => {
  test.each<[string, string[], number[]]>([
    ['a status, for every push', ['--status', '503'], [503, 503, 503]],
    ['the first attempts of a message', ['--fail', '2'], [500, 500, 200]],
    ['with a status of choice', ['--fail', '1', '--status', '429'], [429, 200, 200]],
    ['a cut connection', ['--reset'], [0, 0, 0]],
    ['late', ['--delay', '1', '--fail', '1'], [200, 200, 200]],
  ])('%s', async (_what, argv, expected) => {
    const { statuses, said } = await receive(
      argv,
      [1, 2, 3].map((attempt) => ({ attempt })),
      VERIFY,
    );
    expect(statuses).toEqual(expected);
    expect(said.map(({ answer }) => answer)).toEqual(expected.map((status) => (status === 0 ? 'reset' : status)));
  });
});

const KEY = { API_KEY: 'tk_1' };

describe('while the service of npm start runs', () => {
  let dir: string;
  let service: Awaited<ReturnType<typeof startFakeService>>;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'pts-receiver-'));
    service = await startFakeService();
    const ready = { base_url: service.url, api_key: 'tk_1', database_url: 'postgresql://x', redis_url: null };
    writeFileSync(join(dir, 'ready.json'), JSON.stringify(ready));
  });
  afterEach(async () => {
    await service.close();
    rmSync(dir, { recursive: true });
  });

  test('it registers itself automatically, with its address and its key', async () => {
    const receiver = await start([], { STANDALONE_DIR: dir });
    expect(service.hasWebhook()).toBe(true);
    const [, secret = ''] = /Secret: (whsec_\S+)/.exec(receiver.output()) ?? [];
    expect((await push(receiver.url, { secret })).status).toBe(200);
    await receiver.stop();
    expect(service.hasWebhook()).toBe(false);
  });
});

describe('--register', () => {
  test('registers, verifies with the returned secret, and leaves no webhook behind', async () => {
    const service = await startFakeService();
    const receiver = await start(['--register', '--base-url', service.url], KEY);
    expect(service.hasWebhook()).toBe(true);
    const [, secret = ''] = /Secret: (whsec_\S+)/.exec(receiver.output()) ?? [];
    expect((await push(receiver.url, { secret })).status).toBe(200);
    expect((await receiver.stop()).stdout).toContain('Deleted the webhook');
    expect(service.hasWebhook()).toBe(false);
    await service.close();
  });

  test('the refusal of a deployment is reported in one line', async () => {
    const service = await startFakeService('refuses-loopback');
    const argv = ['receiver', '--port', '0', '--register', '--base-url', service.url];
    const { code, stderr } = await admin(argv, KEY);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/must use https.*\n.*--url to a public https URL/)]);
    await service.close();
  });
});

test.each([
  ['--status 99', /--status must be a whole number from 200 to 599/],
  ['--status 500 --hang', /only one of --status, --hang and --reset/],
  ['--url https://x.example', /--url requires --register/],
  ['--register', /Set BASE_URL and API_KEY/],
  ['--register --no-register', /only one of --register and --no-register/],
])('receiver %s is refused with a clear message', async (line, message) => {
  const { code, stderr } = await admin(['receiver', ...line.split(' ')]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

describe('receiver-check', () => {
  test('a correct receiver passes', async () => {
    const receiver = await start([], VERIFY);
    const { code, stdout } = await admin(['receiver-check', receiver.url.replace('127.0.0.1', 'localhost')], VERIFY);
    await receiver.stop();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ok {2}valid.*The receiver passed the check\.\n$/s)]);
  });

  test('one that verifies nothing gets advice, also as JSON', async () => {
    const receiver = await start([]);
    const { code, stdout } = await admin(['receiver-check', receiver.url], {}, undefined, undefined, undefined, SECRET);
    const json = await admin(['receiver-check', receiver.url, '--json'], VERIFY);
    await receiver.stop();
    expect([code, stdout]).toEqual([1, expect.stringMatching(/WRONG {2}stale.*does not verify pushes/s)]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      passed: false,
      checks: [{ name: 'valid', passed: true }, {}, {}, {}],
    });
  });
});
