import { cancelPending, endDropping } from '@pts/db/deliveries/pending';
import { createOperatorKey } from '@pts/service/accounts';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { fuzzSettings } from '@pts/testing/fuzz';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import fc from 'fast-check';
import { createEventHub, EVENT_STREAMS, STREAM_TIMES } from './streaming/hubs.ts';
import type { FuzzRequest } from './testing/fuzz.ts';
import { createKnowledge, type Knowledge } from './testing/fuzz-knowledge.ts';
import { type FuzzTarget, targets } from './testing/fuzz-targets.ts';
import { startTestApi, type TestApi } from './testing/test-api.ts';
import { checkAgainstDocument, checkFieldsNamed, parametersOf } from './testing/test-contract.ts';
import {
  ALL_EVENTS,
  newRecord,
  newTestWebhook,
  type TestMerchant,
  type TestWebhook,
} from './testing/test-deliveries.ts';

const AT_ONCE = 20;
const CHUNK = 250;
const ACCOUNTS = 5;
/** New ones of each account before each round: a good part of those that it knows. */
const PARCELS = 20;
/** Requests in each further round to an operation that has not succeeded yet. */
const MORE = 100;
const MORE_ROUNDS = 25;
/** No carrier answers here: a stream waits no longer than it must. */
const TIMES = { ...STREAM_TIMES, maxConcurrency: 1000, timeoutMs: 50, pollMs: 25 };
/** A stream of events ends by itself. */
const EVENT_TIMES = { ...EVENT_STREAMS, maxConcurrency: 1000, lifeMs: 50 };

let api: TestApi;
let receiver: Receiver;
let operatorKey: string;
const log: string[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
  const hub = { listen: () => () => {} };
  const events = { hub: createEventHub({ subscribe: () => () => {} }, 1000), ...EVENT_TIMES };
  const streams = { hub, ...TIMES, events, stopping: new AbortController().signal };
  api = await startTestApi({ streams, log: (line) => line.includes('"level":"error"') && log.push(line) });
  ({ operatorKey } = await createOperatorKey({ db: api.db, now: () => new Date() }, { name: 'fuzz' }));
}, 60_000);
afterAll(async () => {
  await api.close();
  await receiver.close();
});

test('every request gets a valid response or a clean refusal', async () => {
  const { count, seed } = fuzzSettings();
  process.stdout.write(`fuzz: ${count} requests, FUZZ_SEED=${seed}\n`);
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, newKnownMerchant));
  const faults: string[] = [];
  const succeeded = new Map<string, number>();
  const any = fc.oneof(
    ...targets.map((target) => ({
      weight: target.weight,
      arbitrary: target.requests.map((request) => ({ request, target })),
    })),
  );
  const send = async (requests: readonly { request: FuzzRequest; target: FuzzTarget }[]) => {
    for (const account of accounts) {
      await haveDelivered(account);
      await haveParcels(account);
    }
    await inParallel(requests, AT_ONCE, async ({ request, target }, i) => {
      const { knowledge } = accounts[i % ACCOUNTS] as KnownMerchant;
      const { status, fault } = await ask(request, target, knowledge);
      if (fault) faults.push(`${fault}\n${describeRequest(request, knowledge)}`);
      if (status < 400) succeeded.set(target.name, (succeeded.get(target.name) ?? 0) + 1);
    });
  };
  for (let sent = 0; sent < count; sent += CHUNK)
    await send(fc.sample(any, { seed: seed + sent, numRuns: Math.min(CHUNK, count - sent) }));
  // If all requests to an operation were refused early, the test would find nothing there: it gets more of them. The
  // object of a deletion may already be gone.
  const missed = () => targets.filter(({ name }) => !name.startsWith('DELETE') && !succeeded.has(name));
  for (let round = 1; count >= 3000 && round <= MORE_ROUNDS && missed().length > 0; round++)
    for (const target of missed()) {
      const requests = fc.sample(target.requests, { seed: seed - round, numRuns: MORE });
      await send(requests.map((request) => ({ request, target })));
    }
  expect([faults.slice(0, 5), log.slice(0, 5)]).toEqual([[], []]);
  if (count >= 3000) expect(missed().map(({ name }) => name)).toEqual([]);
}, 1_200_000);

type KnownMerchant = TestMerchant & { knowledge: Knowledge };

/** An account whose webhooks are all on this machine. */
async function newKnownMerchant(): Promise<KnownMerchant> {
  const { id: accountId, key } = await api.account({ plan: 'enterprise' });
  const webhook = await newTestWebhook(api, key, { url: receiver.url });
  return { accountId, key, webhook, knowledge: createKnowledge(key, receiver.url) };
}

/** An event that its webhook has accepted; what a request has deleted or turned off is there again. */
async function haveDelivered(merchant: KnownMerchant): Promise<void> {
  await api.call('PATCH', '/account/pages', { key: merchant.key, body: { enabled: true } });
  const webhook = await haveWebhook(merchant);
  merchant.webhook = webhook;
  // As a dispatcher does: nothing is sent until what was pending when a request disabled it is dropped.
  await cancelPending(api.db, { webhookId: webhook.id, accountId: merchant.accountId }, 1000);
  await endDropping(api.db);
  const { id } = await newRecord(api, { ...merchant, webhook });
  merchant.knowledge.learn('/webhooks/deliveries', { id });
  merchant.knowledge.learn('/webhooks', { id: webhook.id });
}

/** Parcels that nothing has deleted yet. */
async function haveParcels({ accountId, knowledge }: KnownMerchant): Promise<void> {
  const numbers = Array.from({ length: PARCELS }, freshNumber);
  const order = { orderId: 'Order 1002' };
  for (const id of await newTrackings(api.db, accountId, numbers, new Date(), order))
    knowledge.learn('/trackings', { id, order_id: order.orderId });
}

/**
 * Its webhook, or a new one if it is deleted: to register it again replaces its secret, which can be done twenty times
 * a day.
 */
async function haveWebhook({ key, webhook }: TestMerchant): Promise<TestWebhook> {
  const body = { enabled: true, events: ALL_EVENTS, filter: null };
  const change = ({ id }: TestWebhook) => api.call('PATCH', `/webhooks/${id}`, { key, body });
  if ((await change(webhook)).status === 200) return webhook;
  const registered = await newTestWebhook(api, key, { url: receiver.url });
  // A request may have registered the address before, with a filter.
  await change(registered);
  return registered;
}

/** @returns what is wrong with the answer; null if it is correct. */
async function ask(
  request: FuzzRequest,
  target: FuzzTarget,
  knowledge: Knowledge,
): Promise<{ status: number; fault: string | null }> {
  const { path, body } = knowledge.fill(request);
  const response = await fetch(`${api.url}${request.base}${path}`, {
    method: request.method,
    headers: {
      ...request.headers,
      'X-API-Key': request.endpoint.startsWith('/operator') ? operatorKey : knowledge.key,
    },
    ...(body === null ? {} : { body }),
  });
  const text = await response.text();
  const { status } = response;
  try {
    expect(status).toBeLessThan(500);
    if (status < 400) expect(unknownIn(request)).toEqual([]);
    expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    if (status === 304) return { status, fault: null };
    target.check(status, text);
    if (response.headers.get('Content-Type')?.startsWith('application/json')) {
      const answer = JSON.parse(text);
      checkFieldsNamed(answer);
      checkAgainstDocument(request.method, new URL(response.url), { status, headers: response.headers, body: answer });
      if (status === 200) knowledge.learn(request.endpoint, answer.data);
    }
    return { status, fault: null };
  } catch (error) {
    return { status, fault: `${status} ${text.slice(0, 500)} ${String(error).slice(0, 300)}` };
  }
}

/**
 * The parameters of an accepted request that its operation does not have, by the reference. An empty one of a read
 * counts as left out.
 */
function unknownIn({ base, method, endpoint, query }: FuzzRequest): string[] {
  if (base !== '/api/v1') return [];
  const known = new Set(parametersOf(method, endpoint));
  const given = method === 'GET' ? query.filter(([, value]) => value !== '') : query;
  return given.map(([name]) => name).filter((name) => name !== 'lang' && !name.startsWith('_') && !known.has(name));
}

function describeRequest(request: FuzzRequest, knowledge: Knowledge): string {
  const { path, body } = knowledge.fill(request);
  return `${request.method} ${request.base}${path.slice(0, 500)} ${body === null ? '' : Buffer.from(body).toString('latin1').slice(0, 1000)}`;
}

async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T, i: number) => Promise<void>) {
  const left = items.entries();
  const worker = async () => {
    for (const [i, item] of left) await work(item, i);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
