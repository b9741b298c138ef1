import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSmokeOptions } from './smoke.ts';

const NONE = {
  'base-url': undefined,
  number: undefined,
  timeout: undefined,
  'receiver-host': undefined,
  'receiver-port': undefined,
  'receiver-url': undefined,
  'no-webhook': false,
};
const TARGET = { 'base-url': 'https://api.example.com' };
const KEY = { API_KEY: 'tk_1' };

let dir: string;
const read = (given: Record<string, string | boolean>, env: NodeJS.ProcessEnv = {}) =>
  readSmokeOptions({ env: { STANDALONE_DIR: dir, ...env }, root: '/' }, { ...NONE, ...given } as typeof NONE);

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

test('the key of npm start is sent only to its service', () => {
  startStandalone();
  expect(read({ 'base-url': 'http://127.0.0.1:8080/' })).toMatchObject({ apiKey: 'tk_local' });
  expect(() => read({ 'base-url': 'https://api.example.com' })).toThrow(
    'Set API_KEY in the environment to a key of https://api.',
  );
});

test.each<[Record<string, string>, RegExp, NodeJS.ProcessEnv?]>([
  [{}, /Set BASE_URL and API_KEY, or start a service with npm start: none runs in \/.* \(STANDALONE_DIR names/, {}],
  [{}, /BASE_URL must be an address such as/, { ...KEY, BASE_URL: 'here' }],
  [{ ...TARGET, 'base-url': 'api.example.com' }, /--base-url must be an address such as/],
  [TARGET, /API_KEY contains invalid characters/, { API_KEY: 'tk 1' }],
  [{ ...TARGET, timeout: '0' }, /--timeout must be a whole number from 1/],
  [{ ...TARGET, timeout: 'soon' }, /not "soon"/],
  [{ ...TARGET, 'receiver-port': '70000' }, /--receiver-port/],
  [{ ...TARGET, 'receiver-url': 'tunnel' }, /--receiver-url/],
])('%j is refused with a clear message: %s', (given, message, env = KEY) => {
  expect(() => read(given, env)).toThrow(message);
});
