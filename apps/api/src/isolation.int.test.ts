import type { RouteLine } from '@pts/contract/operation';
import { ROUTES } from '@pts/contract/routes';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { startTestApi, type TestApi } from './testing/test-api.ts';

let api: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  api = await startTestApi();
  receiver = await startReceiver();
});
afterAll(async () => {
  await api.close();
  await receiver.close();
});

// Operators' operations refuse every key of an account.
const routes: RouteLine[] = Object.values(ROUTES).filter(({ path }) => !path.startsWith('/operator/'));
/** Valid bodies: a request must be refused for whose the record is, not for its form. */
const BODIES: Readonly<Record<string, object>> = {
  'patch /trackings/:id': { title: 'taken over' },
  'patch /webhooks/:id': { enabled: false },
  'patch /account/members/:id': { role: 'viewer' },
  'post /webhooks/:id/replay': { since: new Date(Date.now() - 3_600_000).toISOString() },
};

/** One record of each kind that has an id, by the beginning of its path. */
async function records(key: string) {
  const data = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const answer = await api.call(method, path, { key, body, ...(headers && { headers }) });
    expect([path, Math.floor(answer.status / 100)]).toEqual([path, 2]);
    return answer.body.data;
  };
  const tracking = await data('POST', '/trackings/create', { tracking_number: 'YT8962646785999' });
  const webhook = await data('POST', '/webhooks', { url: receiver.url, events: ['tracking_update'] });
  await data('POST', '/webhooks/test', { id: webhook.id });
  const { items } = await data('GET', '/webhooks/deliveries');
  const upload = { key, raw: 'tracking_number\nYT8962646785998', headers: { 'Content-Type': 'text/csv' } };
  return {
    '/trackings': tracking.id,
    '/webhooks/deliveries': items[0].id,
    '/webhooks': webhook.id,
    '/account/members': (await data('POST', '/account/members', { email: 'ann@example.com', role: 'viewer' })).id,
    '/keys': (await data('POST', '/keys', { name: 'ERP', scopes: ['read'] })).id,
    '/imports': (await api.call('POST', '/imports', upload)).body.data.id,
    '/bulk': (await data('POST', '/bulk/stop', { filter: { status: '查询中' } })).id,
  } as Record<string, string>;
}

/** An id of the same form that no record has. */
const nobodys = (id: string) => `${id.slice(0, -4)}${id.endsWith('aaaa') ? 'bbbb' : 'aaaa'}`;

/** Everything that an account has, as it is stored. */
async function stored(accountId: string): Promise<unknown> {
  const where = { accountId };
  const { db } = api;
  const rows = [
    await db.tracking.findMany({ where }),
    await db.webhook.findMany({ where }),
    await db.apiKey.findMany({ where, omit: { lastUsedAt: true } }),
    await db.member.findMany({ where }),
    await db.import.findMany({ where }),
    await db.bulkAction.findMany({ where }),
    await db.replay.findMany({ where }),
  ];
  return JSON.parse(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
}

test('no operation reads, changes or names a record of another account, whoever knows its id', async () => {
  const [owner, stranger] = [await api.account(), await api.account()];
  const ids = await records(owner.key);
  expect(Object.entries(ids).filter(([, id]) => typeof id !== 'string')).toEqual([]);
  const before = await stored(owner.id);

  let operations = 0;
  for (const { method, path } of routes.filter((route) => route.path.includes(':'))) {
    const kind = Object.keys(ids).find((prefix) => path.startsWith(`${prefix}/`)) ?? '';
    const body = BODIES[`${method} ${path}`];
    const answerTo = async (id: string) => {
      const address = path.replace(':id', id).replace(':replay_id', 'a'.repeat(24));
      const answer = await api.call(method.toUpperCase(), address, { key: stranger.key, ...(body && { body }) });
      return { path, status: answer.status, code: answer.body.code, message: answer.body.message.replaceAll(id, 'ID') };
    };
    // Nobody can tell a record of another account from one that does not exist.
    const [id = '', unknown] = [ids[kind], nobodys(ids[kind] ?? '')];
    const answer = await answerTo(id);
    expect([400, 404]).toContain(answer.status);
    expect(answer).toEqual(await answerTo(unknown));
    operations += 1;
  }
  expect(operations).toBeGreaterThan(20);

  const secrets = [owner.id, ...Object.values(ids), 'YT8962646785999'];
  for (const { path } of routes.filter(({ method, path }) => method === 'get' && !/:|\/stream$/.test(path))) {
    const query = path === '/trackings/get' ? '?tracking_numbers=YT8962646785999' : '';
    const response = await fetch(`${api.url}/api/v1${path}${query}`, { headers: { 'X-API-Key': stranger.key } });
    const text = await response.text();
    expect([path, secrets.filter((secret) => text.includes(secret) && !query.includes(secret))]).toEqual([path, []]);
  }
  expect(await stored(owner.id)).toEqual(before);
});
