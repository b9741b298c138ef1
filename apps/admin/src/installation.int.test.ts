import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeEnv } from './installation.ts';
import { databasePerTest } from './testing/database-per-test.ts';
import { admin } from './testing/run.ts';

const database = databasePerTest();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pts-beside-'));
  const settings = {
    SANDBOX_URL: 'http://127.0.0.1:1',
    CALLBACK_BASE_URL: 'http://127.0.0.1:2',
    PROVIDER_URLS: 'dhl-unified=http://127.0.0.1:1/dhl-unified',
    DHL_UNIFIED_API_KEY: 'sandbox-key',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    CALLBACK_SECRET: 'c'.repeat(64),
  };
  const ready = { base_url: 'http://127.0.0.1:2', api_key: 'tk_1', database_url: database.url, settings };
  writeFileSync(join(dir, 'ready.json'), JSON.stringify(ready));
});
afterEach(() => rmSync(dir, { recursive: true }));

const beside = (...argv: string[]) => admin(argv, { STANDALONE_DIR: dir });

test('commands beside npm start know its providers', async () => {
  expect((await beside('providers', 'list')).stdout).toMatch(/^dhl-unified +ok .*\nsandbox +ok /m);
  expect((await beside('providers', 'budget')).stdout).toContain('dhl-unified');
  expect((await beside('queues', 'depth')).stdout).toContain('query-sandbox');
});

test('what is given takes precedence, and an account at a provider is not used with the sandbox that plays it', () => {
  const env = {
    STANDALONE_DIR: dir,
    DHL_UNIFIED_API_KEY: 'mine',
    CALLBACK_BASE_URL: 'https://p.example',
    REDIS_URL: '',
  };
  const used = storeEnv({ env, root: '/', note: () => {} });
  expect(used).toMatchObject({ DHL_UNIFIED_API_KEY: 'mine', CALLBACK_BASE_URL: 'https://p.example' });
  expect(used).toMatchObject({ SANDBOX_URL: 'http://127.0.0.1:1', CALLBACK_SECRET: 'c'.repeat(64) });
  expect(used.PROVIDER_URLS).toBe('');
});
