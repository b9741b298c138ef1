import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STORIES } from './commands/parcels.ts';
import { exitAfterOutput } from './errors.ts';
import { parse } from './kit.ts';
import { pts } from './run.ts';
import { pathOf, readSettings } from './settings.ts';
import { newUser } from './testing/pts.ts';

const KEY = `tk_${'0'.repeat(48)}`;

let user: ReturnType<typeof newUser>;
beforeEach(() => {
  user = newUser();
});
afterEach(() => user.close());

describe('an invalid command line ends with 2, and says what would be valid', () => {
  test.each([
    [['sing'], 'Unknown command "sing". Commands: login, logout'],
    [['webhooks', 'sing'], 'Unknown command "webhooks sing". Commands: webhooks list'],
    [['track'], 'Usage: pts track NUMBER [--follow]'],
    [['track', 'A1', 'B2'], 'Usage: pts track NUMBER'],
    [['track', 'A1,B2'], 'NUMBER must be one tracking number, not "A1,B2"'],
    [['webhooks', 'remove', ''], 'ID is empty. Is a variable not set?'],
    [['webhooks', 'test', ' '], 'ID is empty'],
    [['shipments', '--carrier', '', '--all'], '--carrier is empty. Is a variable not set?'],
    [['webhooks', 'deliveries', '--webhook='], '--webhook is empty'],
    [['shipments', '--stauts', 'x'], "Unknown option '--stauts'"],
    [['shipments', '--status', 'lost'], '--status must be one of 查询中, 派送中'],
    [['shipments', '--q', '--all'], "Option '--q' argument is ambiguous"],
    [['shipments', '-a'], "Unknown option '-a'"],
    [['shipments', '--limit', '0'], '--limit must be a whole number from 1 to 200, not "0"'],
    [['shipments', '--since', '2026-03-01'], '--since must be a time with a time zone (RFC 3339), such as'],
    [['webhooks', 'replay', 'x', '--since', 'now'], '--since must be a time with a time zone (RFC 3339), such as'],
    [['trigger', 'lost'], 'STORY must be one of delivered, ordinary'],
    [['webhooks', 'add', 'https://a.example', '--metadata', 'shop'], '--metadata must be KEY=VALUE'],
    [['webhooks', 'add', 'https://a.example', '--format', 'v3'], '--format must be'],
    [['webhooks', 'replay', 'x'], '--since is missing'],
    [['listen', '--forward-to', 'ftp://x'], '--forward-to must be an address'],
    [['listen', '--events', 'ping'], '--events contains "ping", which is not a kind of event'],
    [['track', KEY], 'track does not accept keys or secrets as arguments'],
    [['listen', '--forward-to=whsec_x'], 'listen does not accept keys or secrets as arguments'],
    [['import', 'orders.pdf'], 'The name of orders.pdf must end in one of .csv'],
    [['bulk', 'delete', '--yes'], 'Add a filter, or --all.'],
    [['bulk', 'delete', '--q', 'scarf'], 'Cannot ask for confirmation without a terminal. Add --yes or --dry-run.'],
  ])('%j', async (args, text) => {
    const env = { PTS_URL: 'http://127.0.0.1:9', PTS_API_KEY: KEY };
    const { code, err } = await user.pts(args, { env });
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
    const json = await user.pts([...args, '--json'], { env });
    expect(JSON.parse(json.err).error.message).toContain(text);
  });
});

const [ID, OTHER_ID] = [`-${'a'.repeat(26)}`, `--${'b'.repeat(25)}`];
test.each([
  [['webhooks', 'redeliver', ID], { id: ID }],
  [['webhooks', 'redeliver', OTHER_ID], { id: OTHER_ID }],
  [['webhooks', 'delivery', '--', ID], { id: ID }],
  [['webhooks', 'deliveries', '--before', ID, '--failed'], { before: ID, failed: true }],
  [['webhooks', 'deliveries', `--before=${OTHER_ID}`], { before: OTHER_ID }],
  [['shipments', '--sort', '-created_at', '--q', '-12'], { sort: '-created_at', q: '-12' }],
])('what begins with a dash is taken as it is meant: %j', (args, input) => {
  expect(parse(args, pts)).toMatchObject({ kind: 'run', input });
});

test('without an address or a key it says what to do, and ends with 3', async () => {
  const { code, err } = await user.pts(['shipments']);
  expect([code, err]).toEqual([3, 'No address is set. Run `pts login`, or set PTS_URL and PTS_API_KEY.\n']);
  const { code: second, err: noKey } = await user.pts(['shipments'], { env: { PTS_URL: 'http://127.0.0.1:9' } });
  expect([second, noKey]).toEqual([3, expect.stringContaining('No API key for http://127.0.0.1:9 is set.')]);
});

test.each([
  'api.example.com',
  'ftp://api.example.com',
  'http://127.0.0.1:99999',
  'https://me:secret@api.example.com',
  'https://api.example.com?a=b',
  'https://api.example.com ',
])('an address to which nothing can be sent ends with 2: %s', async (url) => {
  const problem = `The address of the service must be a URL such as https://api.example.com, not "${url}"\n`;
  const { code, err } = await user.pts(['shipments'], { env: { PTS_URL: url, PTS_API_KEY: KEY } });
  expect([code, err]).toEqual([2, problem]);
  // Before it takes the key.
  const login = await user.pts(['login', '--url', url]);
  expect([login.code, login.err]).toEqual([2, problem]);
});

test('every command explains itself', async () => {
  const { out } = await user.pts([]);
  for (const { name } of pts.commands) {
    expect(out).toContain(`  ${name}`);
    const { code, out: help } = await user.pts([...name.split(' '), '--help']);
    expect([code, help]).toEqual([0, expect.stringContaining(`Usage: pts ${name}`)]);
  }
  expect((await user.pts(['webhooks'])).out).toContain('webhooks redeliver ID');
  expect((await user.pts(['--version'])).out).toMatch(/^\d+\.\d+\.\d+/);
});

test.each(['docs/cli.md', 'docs/zh/cli.md'])('%s names every command, and no option that does not exist', (page) => {
  const text = readFileSync(join(import.meta.dirname, '../../../..', page), 'utf8');
  const named = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code.split(' ')).flat();
  for (const { name } of pts.commands) expect(named).toEqual(expect.arrayContaining(name.split(' ')));
  const options = [
    '--json',
    '--help',
    ...pts.commands.flatMap((one) => Object.keys(one.options).map((name) => `--${name}`)),
  ];
  // `--global` is npm's.
  expect(named.filter((word) => word.startsWith('--') && ![...options, '--global'].includes(word))).toEqual([]);
});

test.each([
  [[''], ['login', 'track', 'webhooks', 'help']],
  [
    ['webhooks', 'de'],
    ['deliveries', 'delivery'],
  ],
  [['trigger', 'del'], ['delivered']],
  [
    ['shipments', '--s'],
    ['--status', '--since', '--sort'],
  ],
  [['shipments', '--sort', '-c'], ['-created_at']],
  [
    ['shipments', '--status', 'a'],
    ['available_for_pickup', 'active'],
  ],
])('the completion of %j has %j', (words, expected) => {
  const requested = parse(['__complete', ...words], pts);
  const offered = requested.kind === 'text' ? requested.text.split('\n') : [];
  expect(offered).toEqual(expect.arrayContaining(expected));
});

test('the completions of both shells ask pts itself', async () => {
  for (const shell of ['bash', 'zsh'])
    expect((await user.pts(['completion', shell])).out).toContain('pts __complete "');
  expect((await user.pts(['__complete', 'logi'])).out).toBe('login\n');
});

test.each([
  ['linux', {}, '/home/me/.config/pts/config.json'],
  ['linux', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/pts/config.json'],
  ['darwin', {}, '/home/me/Library/Application Support/pts/config.json'],
  ['win32', { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' }, 'C:\\Users\\me\\AppData\\Roaming\\pts\\config.json'],
  ['win32', {}, '\\home\\me\\AppData\\Roaming\\pts\\config.json'],
] as const)('on %s with %j the settings are in %s', (platform, env, path) => {
  expect(pathOf({ platform, env, home: '/home/me' })).toBe(path);
});

test('settings are readable by the user alone; the environment wins over them', () => {
  const place = { env: {}, platform: 'linux', home: user.home } as const;
  const { path, store } = readSettings(place);
  store({ url: 'https://a.example', api_key: KEY });
  store({ listen_secret: 'whsec_x' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readSettings(place)).toMatchObject({ url: 'https://a.example', apiKey: KEY, listenSecret: 'whsec_x' });
  const env = { PTS_URL: 'https://b.example', PTS_API_KEY: 'tk_1' };
  expect(readSettings({ ...place, env })).toMatchObject({
    url: 'https://b.example',
    apiKey: 'tk_1',
    source: { url: 'PTS_URL', apiKey: 'PTS_API_KEY' },
  });
});

test.each([
  ['https://b.example', undefined, 'none'],
  ['https://a.example/api/v1/', KEY, 'file'],
])('with only PTS_URL=%s, the stored key is for its own address: %s', (PTS_URL, apiKey, source) => {
  const place = { env: {}, platform: 'linux', home: user.home } as const;
  readSettings(place).store({ url: 'https://a.example', api_key: KEY });
  expect(readSettings({ ...place, env: { PTS_URL } })).toMatchObject({ apiKey, source: { apiKey: source } });
});

test('a damaged file of settings is named', async () => {
  const { path, store } = readSettings({ env: {}, platform: 'linux', home: user.home });
  store({ url: 'https://a.example' });
  writeFileSync(path, '{');
  const { code, err } = await user.pts(['whoami']);
  expect([code, err]).toEqual([2, expect.stringContaining(`${path} is damaged`)]);
});

test.each([
  ['EPIPE', 0],
  ['ENOSPC', 1],
])('after %s of its output, it ends with %i', (code, exit) => {
  expect(exitAfterOutput(Object.assign(new Error(), { code }))).toBe(exit);
});

test('the signing secret of listen is created once', async () => {
  const { out: secret } = await user.pts(['listen', '--print-secret']);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  expect((await user.pts(['listen', '--print-secret'])).out).toBe(secret);
  const env = { PTS_LISTEN_SECRET: 'whsec_mine' };
  expect((await user.pts(['listen', '--print-secret'], { env })).out).toBe('whsec_mine\n');
});

test('every story is one of the sandbox', () => {
  const sandbox = readFileSync(join(import.meta.dirname, '../../../../docs/sandbox.md'), 'utf8');
  for (const [name] of Object.values(STORIES)) expect(sandbox).toContain(`| \`${name}\` |`);
});
