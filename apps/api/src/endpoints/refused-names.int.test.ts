import { NOTHING_ALLOWED } from '@pts/core/url-policy';
import type { Resolver } from '@pts/egress/connect';
import { createSender } from '@pts/egress/send';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

/** A name inside the network and one that does not exist, as the resolver of the installation answers. */
const resolver: Resolver = (hostname, _options, callback) => {
  if (hostname === 'payments-db.example') callback(null, [{ address: '10.43.7.9', family: 4 }]);
  else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);
};
const NAMES = ['payments-db.example', 'nothing-here.example'] as const;
const NOT_PUBLIC = 'dns: the host name does not resolve to a public address';

const policy = { allowHttp: false, allowed: NOTHING_ALLOWED };
const sender = createSender({ policy, timeoutMs: 30_000, resolver, refusalMs: 1 });
const lines: Record<string, unknown>[] = [];
let api: TestApi;
beforeAll(async () => {
  const log = (line: string) => void lines.push(JSON.parse(line));
  api = await startTestApi({ send: sender.send, urlPolicy: policy, log });
}, 60_000);
afterAll(async () => {
  await api.close();
  await sender.close();
});

/** Ids, times and the name itself. */
function withoutDifferences(host: string, value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(host, 'HOST')
    .replace(/"(ts|id|message_id|webhook_id|started_at)":"[^"]*"/g, '"$1":""')
    .replace(/"(response_ms|duration_ms|total_ms)":\d+/g, '"$1":0');
}

/** Everything that the account sees of a webhook at this host. */
async function seen(host: string) {
  const { id: accountId, key } = await api.account();
  const body = { url: `https://${host}/hooks`, events: ['tracking_update'] };
  const { id } = (await api.call('POST', '/webhooks', { key, body })).body.data;
  const changed = await api.call('PATCH', `/webhooks/${id}`, { key, body: { url: `https://${host}/other` } });
  const ping = await api.call('POST', '/webhooks/test', { key, body: { id } });
  const check = await api.call('POST', `/webhooks/${id}/check`, { key });
  const log = (await api.call('GET', '/webhooks/deliveries', { key })).body.data;
  const explained = (await api.call('GET', `/webhooks/deliveries/${log.items[0].id}`, { key })).body.data;
  const { response, timing, delivery } = explained;
  const all = { ping: ping.body.data, check: check.body.data, log, response, timing, delivery };
  return { accountId, host, status: [changed.status, ping.status, check.status], all };
}

test('an account cannot tell a name inside the network from one that does not exist', async () => {
  const [inside, nowhere] = [await seen(NAMES[0]), await seen(NAMES[1])];
  expect(inside.status).toEqual([200, 200, 200]);
  expect(inside.all.ping).toMatchObject({ reachable: false, http_status: 0, error: NOT_PUBLIC });
  expect(inside.all.timing).toMatchObject({ dns_ms: null, connect_ms: null, address: null });
  expect(withoutDifferences(inside.host, inside.all)).toBe(withoutDifferences(nowhere.host, nowhere.all));
  expect(JSON.stringify(inside.all)).not.toMatch(/10\.43|refused address|private/);
});

test("the operator's log says which it was, once for each push", async () => {
  const details = {
    'payments-db.example': 'payments-db.example resolves to a refused address: 10.43.7.9 is a private address',
    'nothing-here.example': 'getaddrinfo ENOTFOUND nothing-here.example',
  };
  for (const host of NAMES) {
    const { accountId } = await seen(host);
    const logged = lines.filter((line) => line.msg === 'not delivered' && line.accountId === accountId);
    // The test, and the first push of the check.
    expect(logged).toHaveLength(2);
    for (const line of logged)
      expect(line).toMatchObject({ webhookId: expect.any(String), error: NOT_PUBLIC, detail: details[host] });
  }
});
