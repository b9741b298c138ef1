import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin } from './testing/run.ts';

const AWAY = { DATABASE_URL: 'postgresql://someone:s3cret-pass@127.0.0.1:1/parcels' };

test('with --json an error is one document on stderr', async () => {
  const wrong = await admin(['accounts', 'show', '--json']);
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  expect(JSON.parse(wrong.stderr)).toEqual({ error: { message: expect.stringContaining('takes ID') } });
  const away = await admin(['accounts', 'list', '--json'], AWAY);
  expect([away.code, away.stdout]).toEqual([1, '']);
  expect(JSON.parse(away.stderr)).toEqual({ error: { message: expect.stringContaining('cannot be used') } });
});

test.each<[string, NodeJS.ProcessEnv, RegExp]>([
  [
    'no DATABASE_URL, nor a service where it is looked for',
    { STANDALONE_DIR: '/nobody/here' },
    /^Set DATABASE_URL, or start a service with npm start: none runs in \/nobody\/here \(STANDALONE_DIR names another folder\)\.\n$/,
  ],
  [
    'a DATABASE_URL of another kind',
    { DATABASE_URL: 'mysql://u:s3cret@h/d' },
    /DATABASE_URL must have the form postgresql:/,
  ],
  [
    'an invalid DATABASE_URL',
    { DATABASE_URL: 'postgresql://u:s3c/ret@h:x' },
    /DATABASE_URL must have the form postgresql:/,
  ],
])('%s is reported in one line', async (_name, env, message) => {
  const { code, stderr } = await admin(['accounts', 'list'], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/s3c|\n.*\bat /);
});

describe('while npm start runs', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'pts-admin-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const ready = (content: string) => writeFileSync(join(dir, 'ready.json'), content);

  test('its database is used, with a note, except in the output for programs', async () => {
    ready(JSON.stringify({ base_url: 'http://x', api_key: 'tk_1', database_url: AWAY.DATABASE_URL, redis_url: null }));
    const { stderr } = await admin(['accounts', 'list'], { STANDALONE_DIR: dir });
    expect(stderr).toMatch(/DATABASE_URL is not set: using the database of the standalone service \(.*ready\.json\)/);
    expect(stderr).toContain('127.0.0.1:1/parcels cannot be used');
    const json = await admin(['accounts', 'list', '--json'], { STANDALONE_DIR: dir });
    expect(JSON.parse(json.stderr)).toHaveProperty('error.message');
  });

  test('a DATABASE_URL that is set takes precedence', async () => {
    ready('{}');
    const { stderr } = await admin(['accounts', 'list'], { STANDALONE_DIR: dir, ...AWAY });
    expect(stderr).not.toContain('standalone');
  });
});

test.each([
  ['accounts set-plan 1f gold', /^PLAN must be one of free, pro, enterprise, not "gold"/],
  ['accounts create --name X --plan gold', /^--plan must be one of free, pro, enterprise, not "gold"/],
  ['accounts create --name X --quota many', /whole number from 0 to 2147483647, not "many"/],
  ['accounts set-quota 1f 2147483648', /whole number/],
  ['accounts correct-quota 1f --charge 1e3 --reason X', /^--charge must be a whole number/],
  ['deliveries stuck --seconds 1h', /^--seconds must be a whole number .* not "1h"/],
  ['accounts create --name \u0007', /^Invalid: --name must have 1 to 200 characters/],
])('"%s" is wrong whatever is in the database', async (line, message) => {
  const { code, stderr } = await admin(line.split(' '), AWAY);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

const API_KEY = `tk_${'0'.repeat(48)}`;
test.each([
  [['receiver-check', 'https://example.com/hook', 'whsec_abc'], 'Set WEBHOOK_SECRET in'],
  [['receiver-check', 'https://example.com/hook', 'another'], 'Set WEBHOOK_SECRET in'],
  [['receiver-check', 'whsec_abc'], 'Set WEBHOOK_SECRET in'],
  [['receiver', '--secret', 'abc'], 'Set WEBHOOK_SECRET in'],
  [['receiver', '--secret=abc', '--json'], 'Set WEBHOOK_SECRET in'],
  [['receiver', '--register', '--api-key', 'k'], 'Set API_KEY in'],
  [['smoke', '--api-key=k'], 'Set API_KEY in'],
  [['smoke', '--number', API_KEY], 'Set API_KEY in'],
  [['keys', 'revoke', API_KEY], 'does not accept keys or secrets'],
  [['keys', 'revoke', API_KEY.replace('tk_', 'tk_test_')], 'does not accept keys or secrets'],
])('%j: a secret among the arguments is refused with an alternative and not repeated', async (argv, alternative) => {
  const { code, stdout, stderr } = await admin(argv);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(alternative);
  expect(stderr).not.toMatch(/whsec_abc|another|tk_/);
});
