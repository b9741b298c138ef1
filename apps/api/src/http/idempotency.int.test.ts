import { randomBytes, randomUUID } from 'node:crypto';
import { message } from '@pts/core/languages/message';
import { forgetKeys } from '@pts/db/accounts/idempotency-keys';
import type { SendPush } from '@pts/egress/send';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import { runOnce } from '@pts/service/run-once';
import { eventually } from '@pts/testing/eventually';
import { operations, operatorOperations } from '../endpoints/index.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NO_ANSWER: Awaited<ReturnType<SendPush>> = {
  kind: 'no_answer',
  cause: 'refused',
  reason: message('no_answer.refused'),
  detail: null,
  durationMs: 1,
  trace: { address: null, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, reused: false, head: null },
};
let api: TestApi;
/** Its clock begins in the middle of a month, and is moved on: quota is counted by month. */
let passedMs = Date.parse('2031-04-05T06:00:00Z') - Date.now();
/** What happens when something is sent to a receiver. */
let send: SendPush = async () => NO_ANSWER;
beforeAll(async () => {
  const now = () => new Date(Date.now() + passedMs);
  api = await startTestApi({ now, send: (push) => send(push), keyClock: () => Date.now() + passedMs });
}, 60_000);
afterAll(() => api.close());
beforeEach(() => {
  send = async () => NO_ANSWER;
});

type Sent = { path?: string; body?: unknown; once?: string; method?: string };
const HOOK = { url: 'https://shop.example.com/hook', events: ['tracking_update'] };

/** A new account, and how it asks under a key. */
async function merchant(more: { quota?: number } = {}) {
  const { id, key } = await api.account(more);
  const ask = async ({ path = '/trackings/create', body, once = 'k1', method = 'POST' }: Sent) => {
    const answer = await api.call(method, path, { key, body, headers: { 'Idempotency-Key': once } });
    const { status, headers, body: answered } = answer;
    return { status, body: answered, isReplay: headers.get('Idempotency-Replayed') === 'true', headers };
  };
  const used = async () => (await api.call('GET', '/account', { key })).body.data.quota_used;
  const edit = (data: object) => api.db.idempotencyKey.updateMany({ where: { accountId: id }, data });
  return { id, key, ask, used, edit };
}

test('the same request with the same key is carried out once and gets the same status and body', async () => {
  const { key, ask } = await merchant();
  const first = await ask({ path: '/webhooks', body: HOOK });
  const second = await ask({ path: '/webhooks', body: { events: HOOK.events, url: HOOK.url } });
  expect([first.status, first.isReplay, second.status, second.isReplay]).toEqual([200, false, 200, true]);
  expect(second.body).toEqual(first.body);
  // Without the key, the URL gets a new secret.
  const again = await api.call('POST', '/webhooks', { key, body: HOOK });
  expect(again.body.data.secret).not.toBe(first.body.data.secret);
});

test('ten at the same time: one is carried out, and each of the others gets its answer or a 409 with Retry-After', async () => {
  const { ask, used } = await merchant();
  const body = { tracking_number: 'PTS1DELIVERED' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask({ body })));
  expect(answers.filter(({ status, isReplay }) => status === 200 && !isReplay)).toHaveLength(1);
  for (const { status, headers } of answers.filter(({ status }) => status !== 200))
    expect([status, Number(headers.get('Retry-After'))]).toEqual([409, expect.any(Number)]);
  expect(await used()).toBe(1);
  expect(await ask({ body })).toMatchObject({ status: 200, isReplay: true });
});

test.each<[string, Sent]>([
  ['another body', { body: { tracking_number: 'PTS2DELIVERED' } }],
  ['another address', { path: '/carrier/detect', body: { tracking_number: 'PTS1DELIVERED' } }],
  ['another query', { path: '/trackings/create?_=1', body: { tracking_number: 'PTS1DELIVERED' } }],
])('with %s, the key is refused with a 409, and nothing happens', async (_what, other) => {
  const { ask, used } = await merchant();
  await ask({ body: { tracking_number: 'PTS1DELIVERED' } });
  expect(await ask(other)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('another request') },
  });
  expect(await used()).toBe(1);
});

test('keys belong to an account, and are kept for 24 hours', async () => {
  const [one, other] = [await merchant(), await merchant()];
  const body = { tracking_number: 'PTS1DELIVERED' };
  await one.ask({ body });
  expect(await other.ask({ body })).toMatchObject({ status: 200, isReplay: false });
  passedMs += 24 * 3_600_000 - 60_000;
  expect((await one.ask({ body })).isReplay).toBe(true);
  passedMs += 60_000;
  expect((await one.ask({ body: { tracking_number: 'PTS2DELIVERED' } })).isReplay).toBe(false);
  const now = () => new Date(Date.now() + passedMs);
  const forget = () => forgetKeys(api.db, { now: now(), batch: 1000 });
  expect(await forget()).toBeGreaterThan(0);
  expect(await api.db.idempotencyKey.count({ where: { accountId: one.id } })).toBe(1);
  expect(await forget()).toBe(0);
});

test('a request that is still running gets a 409 with Retry-After, however long it takes, then its answer', async () => {
  const { id, ask } = await merchant();
  await ask({ path: '/webhooks', body: HOOK, once: 'register' });
  const lease = async () =>
    Number((await api.db.idempotencyKey.findFirst({ where: { accountId: id, key: 'k1' } }))?.leasedUntil);
  let [answer, sent] = [() => {}, false];
  send = () =>
    new Promise((resolve) => {
      sent = true;
      answer = () => resolve(NO_ANSWER);
    });
  const first = ask({ path: '/webhooks/test', body: {} });
  await eventually(async () => expect(sent).toBe(true));
  const firstLease = await lease();
  const { status: early, headers } = await ask({ path: '/webhooks/test', body: {} });
  expect([early, Number(headers.get('Retry-After')) <= 15]).toEqual([409, true]);
  await eventually(async () => expect(await lease()).toBeGreaterThan(firstLease));
  answer();
  const { status, body } = await first;
  expect([status, body.data.reachable]).toEqual([200, false]);
  expect(await ask({ path: '/webhooks/test', body: {} })).toMatchObject({ status: 200, body, isReplay: true });
});

test('a crash in the middle blocks the key until its lease ends: then the same request runs again, charged once', async () => {
  const { ask, used, edit } = await merchant();
  const body = { tracking_number: 'PTS1DELIVERED' };
  const first = await ask({ body });
  // What a process leaves behind that was killed after it had registered the number.
  await edit({ status: null, sealedBody: null, leasedUntil: new Date(Date.now() + passedMs + 3_600_000) });
  expect((await ask({ body })).status).toBe(409);
  passedMs += 3_601_000;
  expect(await ask({ body: { tracking_number: 'PTS2DELIVERED' } })).toMatchObject({ status: 409 });
  const again = await ask({ body });
  const { id } = first.body.data;
  expect(again).toMatchObject({ status: 200, isReplay: false, body: { data: { id, created: false, charged: 0 } } });
  expect(await used()).toBe(1);
});

test('a refusal leaves the key free, for another body as well: what was refused is carried out once it is allowed', async () => {
  const { ask, used } = await merchant({ quota: 1 });
  await ask({ body: { tracking_number: 'PTS1DELIVERED' }, once: 'first' });
  expect((await ask({ body: { tracking_number: 7 } })).status).toBe(400);
  const body = { tracking_number: 'PTS2DELIVERED' };
  for (const _ of [1, 2])
    expect(await ask({ body })).toMatchObject({ status: 400, isReplay: false, body: { code: 4190 } });
  passedMs += 31 * 24 * 3_600_000;
  expect(await ask({ body })).toMatchObject({ status: 200, isReplay: false });
  expect(await ask({ body })).toMatchObject({ status: 200, isReplay: true });
  expect(await used()).toBe(1);
});

test('a fault of ours leaves the key free', async () => {
  const { ask } = await merchant();
  await ask({ path: '/webhooks', body: HOOK, once: 'register' });
  const failing = { path: '/webhooks/test', body: {} };
  send = () => Promise.reject(new Error('a bug'));
  expect((await ask(failing)).status).toBe(500);
  send = async () => NO_ANSWER;
  expect(await ask(failing)).toMatchObject({ status: 200, isReplay: false });
});

test('so does a statement that is too late, and an answer in the last moment is kept: what follows has a deadline of its own', async () => {
  const { id } = await api.account();
  const secretCipher = createSecretCipher(randomBytes(32).toString('base64'));
  const db = api.db.$within(2000);
  const run = (work: () => Promise<void>) =>
    runOnce(
      { db, secretCipher, now: () => new Date(Date.now() + passedMs) },
      { accountId: id, key: 'k1', requestHash: Uint8Array.of(1) },
      async () => {
        await work();
        return { status: 200, body: 'done' };
      },
    );
  const late = async () => void (await db.$queryRaw`SELECT pg_sleep(600)::text`);
  await expect(run(late)).rejects.toThrow('timed out');
  expect(await api.db.idempotencyKey.count({ where: { accountId: id } })).toBe(0);
  expect(await run(() => late().catch(() => {}))).toMatchObject({ body: 'done', isReplay: false });
  expect(await run(late)).toMatchObject({ status: 200, body: 'done', isReplay: true });
});

test('so does a retrack that is too early: after Retry-After, it is carried out', async () => {
  const { key, ask } = await merchant();
  const created = await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'PTS1DELIVERED' } });
  const retrack = { path: `/trackings/retrack/${created.body.data.id}`, once: 'again' };
  expect((await ask({ ...retrack, once: 'first' })).status).toBe(200);
  for (const _ of [1, 2]) {
    const refused = await ask(retrack);
    expect(refused).toMatchObject({ status: 400, isReplay: false, body: { code: 4113 } });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  }
  passedMs += 3_601_000;
  expect(await ask(retrack)).toMatchObject({ status: 200, isReplay: false });
  expect(await ask(retrack)).toMatchObject({ status: 200, isReplay: true });
});

test('a response that is too large to store is not sent again, and the request is not carried out again', async () => {
  const { ask, edit } = await merchant();
  await ask({ path: '/webhooks', body: HOOK });
  await edit({ sealedBody: null });
  expect(await ask({ path: '/webhooks', body: HOOK })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('too large to store') },
  });
});

test('answers are encrypted: the database has no secret of theirs', async () => {
  const { id, ask } = await merchant();
  const { body } = await ask({ path: '/keys', body: { scopes: ['read'] } });
  const row = await api.db.idempotencyKey.findFirst({ where: { accountId: id } });
  expect(row?.sealedBody).not.toContain(body.data.key.slice(3));
});

test('a new API key is shown again only to the key that created it', async () => {
  const { id, ask } = await merchant();
  const { body } = await ask({ path: '/keys', body: { scopes: ['read'] } });
  const { apiKey: other } = await api.key(id, { scopes: ['admin', 'read'] });
  const headers = { 'Idempotency-Key': 'k1' };
  expect((await api.call('POST', '/keys', { key: other, body: { scopes: ['read'] }, headers })).status).toBe(409);
  expect(await ask({ path: '/keys', body: { scopes: ['read'] } })).toMatchObject({ isReplay: true, body });
});

test.each(['', 'with a space', 'a'.repeat(256), 'schlüssel', 'k1, k2'])('the key "%s" is refused', async (once) => {
  const { key, used } = await merchant();
  const body = { tracking_number: 'PTS1DELIVERED' };
  const answer = await api
    .call('POST', '/trackings/create', { key, body, headers: { 'Idempotency-Key': once } })
    .catch(() => null);
  // The client itself refuses other characters than those of ISO 8859-1.
  if (answer) expect(answer).toMatchObject({ status: 400, body: { data: { errors: [{ field: 'Idempotency-Key' }] } } });
  expect(await used()).toBe(0);
});

test('a key of 255 visible characters is accepted, and one of a GET makes no difference', async () => {
  const { id, ask } = await merchant();
  const once = `${randomUUID()}!~`.padEnd(255, 'x');
  expect((await ask({ body: { tracking_number: 'PTS1DELIVERED' }, once })).status).toBe(200);
  expect((await ask({ path: '/account', method: 'GET', once: 'k2' })).status).toBe(200);
  expect(await api.db.idempotencyKey.count({ where: { accountId: id } })).toBe(1);
});

test('version 4 takes it, too, and the same key under /api/v1 is another request', async () => {
  const { ask, used } = await merchant();
  const v4 = {
    path: `${api.url}/v4/trackings/create`,
    body: { tracking_number: 'PTS1DELIVERED', courier_code: 'sandbox' },
  };
  const first = await ask(v4);
  expect([first.status, await ask(v4)]).toMatchObject([200, { isReplay: true, body: first.body }]);
  expect((await ask({ body: v4.body })).status).toBe(409);
  expect(await used()).toBe(1);
});

test('a stream refuses it, and every other POST documents it', async () => {
  const { key } = await merchant();
  const streams = operations.filter((entry) => 'stream' in entry && entry.method === 'post');
  for (const { path } of streams) {
    const answer = await api.call('POST', path, { key, body: ['PTS1DELIVERED'], headers: { 'Idempotency-Key': 'k1' } });
    expect(answer.body.data.errors).toMatchObject([
      { field: 'Idempotency-Key', message: expect.stringContaining('omit it') },
    ]);
  }
  const { paths } = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
    paths: Record<string, { post?: { parameters?: { name: string }[] } }>;
  };
  const documented = Object.entries(paths).filter(([, { post }]) =>
    post?.parameters?.some(({ name }) => name === 'Idempotency-Key'),
  );
  const posts = [...operations, ...operatorOperations].filter(({ method }) => method === 'post');
  expect(documented).toHaveLength(posts.length - streams.length);
});
