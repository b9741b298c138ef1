import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '@pts/contract/limits';
import { outputOf } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { blocksOf, startShell } from '../support/languages/pasted.ts';
import { merchantOf } from '../support/merchant.ts';
import { newDirectory, removeDirectory, type Service, startOwnService } from '../support/service.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const QUICKSTART = readFileSync(join(ROOT, 'docs/quickstart.md'), 'utf8');
const EXAMPLES = ['synchronous-lookup', 'asynchronous-batch', 'webhook-push', 'reconcile-events'];

const dir = newDirectory();
let service: Service;
let close: () => Promise<void>;

beforeAll(async () => {
  // With the usual limits: an example that meets a 429 would wait for two minutes, and fail its test.
  ({ service, close } = await startOwnService('examples', undefined, {
    SANDBOX_SPEED: '4',
    CHECK_INTERVAL_SECONDS: '1',
  }));
}, 120_000);

afterAll(async () => {
  await close();
  removeDirectory(dir);
}, 30_000);

type Outcome = { code: number | null; output: string };

function run(command: string, args: string[], env: Record<string, string>, cwd = ROOT): Promise<Outcome> {
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, { cwd, env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = outputOf(child);
  return new Promise((done) => child.once('close', (code) => done({ code, output: output() })));
}

const target = () => ({
  BASE_URL: service.ready.base_url,
  API_KEY: service.ready.api_key,
  RECEIVER_PORT: '0',
  // Where temporary files go.
  TMPDIR: dir,
});
const example = (name: string, args: string[] = [], env: Record<string, string> = target()) =>
  run(process.execPath, [`examples/${name}.mjs`, ...args], env);

test('one parcel is registered and read, also at an address that ends in a slash', async () => {
  const env = { ...target(), BASE_URL: `${service.ready.base_url}/` };
  const { code, output } = await example('synchronous-lookup', [], env);
  expect([code, output]).toEqual([0, expect.stringMatching(/^registered SBXEXPRESS\d+ with sandbox: [0-9a-f]{24}\n/)]);
  expect(output).toMatch(/\n {2}\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z {2}\S/);
}, 60_000);

test('many parcels are submitted 40 at a time and polled until all have arrived; an invalid number is reported', async () => {
  const { code, output } = await example('asynchronous-batch');
  expect([code, output]).toEqual([0, expect.stringMatching(/accepted 40 of 40\naccepted 5 of 5\n/)]);
  expect(output).toMatch(/已签收 45\nall accepted parcels have arrived\n$/);
  const mixed = await example('asynchronous-batch', ['!', `SBXEXPRESS${Date.now()}`]);
  expect([mixed.code, mixed.output]).toEqual([0, expect.stringMatching(/accepted 1 of 2\n {2}!: 4110 /)]);
}, 120_000);

test('pushes are received and verified, and no webhook is left behind', async () => {
  const numbers = Array.from({ length: 5 }, (_, i) => `SBXEXPRESS${Date.now()}${i}`);
  const { code, output } = await example('webhook-push', numbers);
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(
      /stale: we answered 400\n {2}tampered: we answered 401\n.*\nthe service reaches us at http:\/\/127\.0\.0\.1:\d+\/hook\n/,
    ),
  ]);
  expect(output.match(/tracking_delivered: 已签收/g)).toHaveLength(numbers.length);
  expect(output).toMatch(/\nall parcels have arrived\n/);
  expect((await merchantOf(service).client.webhooks.list()).count).toBe(0);
}, 90_000);

test('every event is read once: the cursor continues where it ended', async () => {
  const first = await example('reconcile-events');
  expect([first.code, first.output]).toEqual([0, expect.stringMatching(/^reading from the beginning\n/)]);
  expect(first.output).toMatch(/Z {2}SBXEXPRESS\d+ #\d+ tracking_delivered: 已签收\n/);
  const eventsIn = (output: string): string[] => output.match(/^ {2}\d{4}-.*$/gm) ?? [];
  const events = eventsIn(first.output);
  // What a transaction that was still open hid comes next.
  await eventually(async () => {
    const { output } = await example('reconcile-events');
    events.push(...eventsIn(output));
    expect(output).toMatch(/^continuing after \S+\n0 events, up to date; the position is in \S+\n$/);
  });
  expect(new Set(events).size).toBe(events.length);
  const files = readdirSync(dir).filter((name) => name.startsWith('events-cursor-'));
  expect(files).toHaveLength(1);
  expect(existsSync(join(ROOT, '.events-cursor'))).toBe(false);
}, 60_000);

test.each(EXAMPLES)('%s says what is missing, and what is refused', async (name) => {
  const { code, output } = await example(name, [], {});
  expect([code, output]).toEqual([2, expect.stringMatching(/^Set BASE_URL and API_KEY, for example:\n/)]);
  const refused = await example(name, [], { ...target(), API_KEY: `tk_${'0'.repeat(48)}` });
  expect([refused.code, refused.output]).toEqual([1, expect.stringMatching(/401: The API key is invalid/)]);
  expect(refused.output).not.toMatch(/\n {4}at /);
});

type Supplied = { ID?: string; NEXT_CURSOR?: string };
const dataOf = async <T>(method: string, path: string, body?: object) =>
  (await merchantOf(service).call<T>(method, path, body)).data;

/** What the reader of a guide has from before; where a command creates something, the later ones get its id. */
const GUIDES: [page: string, supply: () => Promise<Supplied>][] = [
  ['start', async () => ({})],
  ['support', async () => ({})],
  [
    'tracking-page',
    async () => {
      await dataOf('POST', '/trackings/create', { tracking_number: 'SBXEXPRESS9101', order_id: 'A-1001' });
      return {};
    },
  ],
  [
    'pagination',
    async () => ({ NEXT_CURSOR: (await dataOf<{ next_cursor: string }>('GET', '/shipments?limit=1')).next_cursor }),
  ],
  [
    'imports',
    async () => {
      writeFileSync(join(dir, 'orders.csv'), 'Tracking Number\nSBXEXPRESS9001\n!\n');
      return {};
    },
  ],
  ['bulk-actions', async () => ({})],
  ['receivers', async () => ({})],
];

test.each(GUIDES)(
  'the commands of docs/%s.md work when pasted',
  async (page, supply) => {
    const given: Supplied = await supply();
    const commands = blocksOf(`docs/${page}.md`).flatMap((block) => block.split(/\n(?=curl )/));
    expect(commands).not.toHaveLength(0);
    for (const command of commands) {
      const { code, output } = await run('bash', ['-euc', command], { ...target(), ...given }, dir);
      expect([command, code]).toEqual([command, 0]);
      // What goes into a file is not shown.
      if (!command.includes(' > ')) expect(output).toMatch(/"code":20[02]|"status":"ok"/);
      given.ID ??= /"id":"([0-9a-f]{24})"/.exec(output)?.[1] ?? '';
    }
  },
  60_000,
);

/** What `pts listen` prints, without what differs from run to run. */
const shapeOf = (line: string) =>
  line
    .replace(/^Forwarding events of .+ to \S+\. /, 'Forwarding events of NAME to URL. ')
    .replace(/whsec_\S+/, 'SECRET')
    .replace(/^\d\d:\d\d:\d\d/, 'TIME')
    .replace(/SBXEXPRESS\d+/, 'NUMBER')
    .replace(/in \d+ ms/, 'in N ms')
    .replace(/https?:\/\/[^/]+\/docs/, 'HOST/docs');

test('the commands of docs/cli.md work when pasted, and print what the page shows', async () => {
  const receiver = await startReceiver({
    respond: ({ headers }) =>
      headers['x-webhook-event'] === 'tracking_delivered'
        ? { status: 401, body: 'signature_mismatch' }
        : { status: 200 },
  });
  const home = newDirectory();
  const env = { PATH: `${home}/bin:${process.env.PATH}`, HOME: home, npm_config_prefix: home };
  const { base_url, api_key } = service.ready;
  const [install = '', listenAndTrigger = ''] = blocksOf('docs/cli.md').map((block) =>
    block.trim().replaceAll('https://api.example.com', base_url).replace('http://localhost:3000/hooks', receiver.url),
  );
  const [listen, trigger = ''] = listenAndTrigger.split('\n');
  const shell = startShell(home, env);
  const paste = async (commands: string) =>
    expect([commands, (await shell.paste(commands)).code]).toEqual([commands, 0]);
  try {
    await paste(`${install} <<< ${api_key}`);
    await paste(`${listen} &`);
    await eventually(() => expect(shell.output()).toContain('Signing secret: whsec_'));
    await paste(trigger);
    const [shown = ''] = blocksOf('docs/cli.md', 'text');
    await eventually(() => {
      const printed = shell.output().split('\n').map(shapeOf);
      expect(printed).toEqual(expect.arrayContaining(shown.trim().split('\n').map(shapeOf)));
    });
  } finally {
    await Promise.all([shell.close(), receiver.close()]);
    removeDirectory(home);
  }
}, 120_000);

describe('the quickstart', () => {
  test('works when pasted from the first shell block to the last, without a checkout', async () => {
    const script = [...QUICKSTART.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n');
    const { code, output } = await run('sh', ['-euc', script], target(), dir);
    expect([code, output]).toEqual([0, expect.stringContaining('请求响应成功。')]);
    for (const name of EXAMPLES) expect(script).toContain(`node examples/${name}.mjs`);
  }, 180_000);

  test('states the strictest limits correctly', () => {
    const text = QUICKSTART.replace(/\s+/g, ' ');
    expect(text).toContain(`\`GET /trackings/get\` (${LIMITS['trackings.get']})`);
    expect(text).toContain(`\`POST /trackings/create\` (${LIMITS['trackings.create']})`);
    expect(text).toContain(`streams (${LIMITS['track.batch-stream']})`);
  });
});
