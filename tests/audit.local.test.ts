import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HttpServer, serve } from '@pts/testing/http-server';

type Audited = { code: number; text: string };
type Accepted = Record<string, { reason: string; until: string }>;
/** The script is JavaScript. */
const { audit } = (await import(join(import.meta.dirname, '../scripts/audit.mjs'))) as {
  audit(given: { accepted: Accepted; isOnline: boolean; environment: NodeJS.ProcessEnv }): Promise<Audited>;
};

const ID = 'GHSA-aaaa-bbbb-cccc';
const URL = `https://github.com/advisories/${ID}`;
/** About a package that this repository has. */
const FINDING = {
  ajv: [
    { id: 1, url: URL, title: 'Validates too much', severity: 'high', vulnerable_versions: '*', cwe: [], cvss: {} },
  ],
};

let cache: string;
let registry: HttpServer;
/** What the registry answers to an audit; null: it has none. */
let answer: object | null = null;
beforeAll(async () => {
  cache = mkdtempSync(join(tmpdir(), 'pts-audit-'));
  registry = await serve((request, response) => {
    request.resume().once('end', () => {
      if (request.method !== 'POST') response.writeHead(404).end('{}');
      else if (answer === null) response.writeHead(405).end();
      else response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
    });
  });
});
afterAll(async () => {
  await registry.close();
  rmSync(cache, { recursive: true, force: true });
});

function audited(more: { accepted?: Accepted; isOnline?: boolean; url?: string } = {}): Promise<Audited> {
  const { accepted = {}, isOnline = false, url = registry.url } = more;
  const settings = { npm_config_registry: url, npm_config_cache: cache, npm_config_noproxy: '127.0.0.1' };
  return audit({ accepted, isOnline, environment: { ...process.env, ...settings } });
}

test('nothing is known of the dependencies', async () => {
  answer = {};
  expect(await audited()).toEqual({ code: 0, text: 'No known vulnerability that is not accepted.' });
});

test('an advisory fails, with its address and what to do, unless it is accepted', async () => {
  answer = FINDING;
  expect(await audited()).toEqual({
    code: 1,
    text: expect.stringMatching(new RegExp(`^high: ajv: Validates too much: ${URL}\n.*accepted-advisories`)),
  });
  const accepted = { [ID]: { reason: 'only our own schemas', until: '9999-12-31' } };
  expect(await audited({ accepted })).toMatchObject({ code: 0 });
});

test('a registry without audits is named as such: a failure only where one is required', async () => {
  answer = null;
  const text = expect.stringMatching(/^Not audited: the registry answers no audits \(405 /);
  expect(await audited()).toEqual({ code: 0, text });
  expect(await audited({ isOnline: true })).toEqual({ code: 1, text });
});

test('so is one that cannot be reached', async () => {
  const { code, text } = await audited({ url: 'http://127.0.0.1:9', isOnline: true });
  expect([code, text]).toEqual([1, expect.stringMatching(/^Not audited: .*127\.0\.0\.1:9/)]);
});
