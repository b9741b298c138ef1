import assert from 'node:assert/strict';
import { callbackToken } from '@pts/core/tracking/callback-secrets';
import { eventually } from '@pts/testing/eventually';
import type { TestHaproxy } from '@pts/testing/servers/haproxy';
import { type Figure, figure } from '../parts/figure.ts';
import { percentile } from '../parts/samples.ts';
import { type Answer, ask, callerOf } from './calls.ts';
import { type Cell, callbackSecretOf } from './cell.ts';

const CALLS = 1000;
const UNKNOWN_KEY = `tk_${'0'.repeat(48)}`;

/** Every kind of request reaches the cell that can answer it. @throws if one does not */
export async function tryRouting(router: TestHaproxy, cells: readonly Cell[]): Promise<Figure[]> {
  for (const cell of cells) await byKey(router, cell);
  await withoutKey(router);
  for (const cell of cells) await newKey(router, cell);
  for (const cell of cells) await buyersPage(router, cell);
  for (const cell of cells) await callback(router, cell);
  return overhead(router, cells);
}

/** Whichever header has the key. */
async function byKey({ url }: TestHaproxy, { merchant: { apiKey, accountId } }: Cell): Promise<void> {
  for (const headers of [{ 'X-API-Key': apiKey }, { 'Tracking-Api-Key': apiKey }]) {
    const { status, body } = await ask(`${url}/api/v1/auth/me`, { headers });
    assert.deepEqual([status, body.data?.account_id], [200, accountId]);
  }
  const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const headers = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json, text/event-stream' };
  assert.equal((await ask(`${url}/mcp`, { method: 'POST', headers, body: initialize })).status, 200);
}

async function withoutKey({ url }: TestHaproxy): Promise<void> {
  for (const headers of [{}, { 'X-API-Key': UNKNOWN_KEY }, { 'X-API-Key': 'no key' }]) {
    const { status, body } = await ask(`${url}/api/v1/auth/me`, { headers });
    assert.deepEqual([status, body.code], [401, 401]);
  }
  for (const path of ['/openapi.json', '/console/', '/robots.txt', '/healthz'])
    assert.deepEqual([path, (await ask(url + path)).status], [path, 200]);
}

/** A merchant's new key works at once, although no map has it. */
async function newKey({ url }: TestHaproxy, { merchant }: Cell): Promise<void> {
  const made = await callerOf(url, merchant.apiKey)('POST', '/keys', { name: 'new', scopes: ['read'] });
  assert.equal(made.status, 200);
  for (let n = 0; n < 2; n++) {
    const { status, body } = await callerOf(url, made.body.data.key)('GET', '/auth/me');
    assert.deepEqual([status, body.data?.account_id], [200, merchant.accountId]);
  }
}

async function buyersPage({ url }: TestHaproxy, { merchant }: Cell): Promise<void> {
  const call = callerOf(url, merchant.apiKey);
  assert.equal((await call('PATCH', '/account/pages', { enabled: true, name: 'Shop' })).status, 200);
  const number = `SBXEXPRESS${Date.now()}`;
  assert.equal((await call('POST', '/trackings/create', { tracking_number: number })).status, 200);
  const page: string = (await call('GET', `/trackings/get?tracking_numbers=${number}`)).body.data.success[0]
    .tracking_page_url;
  assert.ok(page.startsWith(`${url}/t/`));
  for (let n = 0; n < 2; n++) assert.equal((await ask(page)).status, 200);
  assert.equal((await ask(`${url}/t/${'A'.repeat(22)}`)).status, 404);
}

/** The token is right in one cell only; without a signature, that one answers 401. */
async function callback({ url }: TestHaproxy, { name }: Cell): Promise<void> {
  const token = callbackToken(callbackSecretOf(name), 'kuaidi100');
  const post = async (cell: string) => {
    const { status } = await ask(`${url}/cells/${cell}/callbacks/kuaidi100/${token}`, { method: 'POST', body: {} });
    return status;
  };
  const other = name === 'one' ? 'two' : 'one';
  assert.equal(await post(other), 404);
  assert.notEqual(await post(name), 404);
}

async function overhead(router: TestHaproxy, cells: readonly Cell[]): Promise<Figure[]> {
  const [cell] = cells;
  if (!cell) return [];
  const { apiKey } = cell.merchant;
  const direct = await medianOf(callerOf(`http://${cell.address}`, apiKey));
  const routed = await medianOf(callerOf(router.url, apiKey));
  return [figure('cells router', routed, direct, 'ms p50 of GET /account')];
}

async function medianOf(call: (method: 'GET', path: string) => Promise<Answer>): Promise<number> {
  const ms: number[] = [];
  for (let n = 0; n < CALLS; n++) ms.push((await call('GET', '/account')).ms);
  return percentile(ms, 0.5);
}

/** Waits until the router sends requests to a cell again. */
export function untilServed({ url }: TestHaproxy, { merchant }: Cell): Promise<void> {
  return eventually(async () => {
    const { status } = await callerOf(url, merchant.apiKey)('GET', '/account');
    assert.equal(status, 200);
  });
}
