import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSmokeOptions } from './options.ts';

const NONE = {
  'base-url': undefined,
  'api-key': undefined,
  number: undefined,
  timeout: undefined,
  'receiver-host': undefined,
  'receiver-port': undefined,
  'receiver-url': undefined,
  'no-webhook': false,
};
const TARGET = { 'base-url': 'https://api.example.com', 'api-key': 'tk_1' };

let dir: string;
const read = (given: Partial<typeof NONE> | Record<string, string | boolean>) =>
  readSmokeOptions({ env: { STANDALONE_DIR: dir }, root: '/' }, { ...NONE, ...given } as typeof NONE);

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pts-smoke-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function startStandalone(): void {
  const ready = {
    base_url: 'http://127.0.0.1:8080',
    api_key: 'tk_local',
    database_url: 'postgresql://x',
    redis_url: null,
  };
  writeFileSync(join(dir, 'ready.json'), JSON.stringify(ready));
}

test('what is not given has its usual value', () => {
  expect(read(TARGET)).toEqual({
    baseUrl: 'https://api.example.com',
    apiKey: 'tk_1',
    number: null,
    timeoutSeconds: 90,
    receiver: { host: '127.0.0.1', port: 18_999, url: null },
  });
});

test('without a target, that of npm start is taken', () => {
  startStandalone();
  expect(read({})).toMatchObject({ baseUrl: 'http://127.0.0.1:8080', apiKey: 'tk_local' });
});

test('the key of npm start is sent nowhere else', () => {
  startStandalone();
  expect(read({ 'base-url': 'http://127.0.0.1:8080/' })).toMatchObject({ apiKey: 'tk_local' });
  expect(() => read({ 'base-url': 'https://api.example.com' })).toThrow('Give --api-key, a key of https://api.');
});

test.each<[Record<string, string>, RegExp]>([
  [{}, /--base-url and --api-key, or start a service/],
  [{ ...TARGET, 'base-url': 'api.example.com' }, /--base-url must be an address such as/],
  [{ ...TARGET, 'api-key': 'tk 1\n' }, /--api-key has characters/],
  [{ ...TARGET, timeout: '0' }, /--timeout must be a whole number from 1/],
  [{ ...TARGET, timeout: 'soon' }, /not "soon"/],
  [{ ...TARGET, 'receiver-port': '70000' }, /--receiver-port/],
  [{ ...TARGET, 'receiver-url': 'tunnel' }, /--receiver-url/],
])('%j is refused in plain words', (given, message) => {
  expect(() => read(given)).toThrow(message);
});

test('webhooks can be left out', () => {
  expect(read({ ...TARGET, 'no-webhook': true }).receiver).toBeNull();
});
