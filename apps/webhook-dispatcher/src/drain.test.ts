import { lowestId } from '@pts/core/id';
import { message } from '@pts/core/languages/message';
import type { EndpointKey, PendingEndpoint } from '@pts/core/webhook/endpoint';
import { newSecret, sign, standardSignatureHeader } from '@pts/core/webhook/push';
import { verdictOf } from '@pts/core/webhook/retry';
import type { AttemptOutcome, DueDelivery, LoadRequest } from '@pts/db/deliveries/attempts';
import type { Sent } from '@pts/egress/send';
import type { DeliverJob } from '@pts/queue/catalog';
import type { DrainDeps } from './deps.ts';
import { drain } from './drain.ts';
import { createFailureLog } from './failure-log.ts';
import { watchHealth } from './health.ts';
import { createConcurrencyWindows, createFairLimiter } from './limiter.ts';

const NOW = new Date('2026-03-09T04:05:06.000Z');
const T = NOW.getTime() / 1000;
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const SECRET = newSecret(new Uint8Array(32).fill(1));
const KEY = { webhookId: '65a1b2c3d4e5f60718293a4c', accountId: '65a1b2c3d4e5f60718293a4d' };
const ENDPOINT = { ...KEY, isFailing: false };

const DUE: DueDelivery = {
  deliveryId: '42',
  messageId: '65a1b2c3d4e5f60718293a4b',
  ...KEY,
  trackingId: '65a1b2c3d4e5f60718293a4e',
  event: 'tracking_update',
  body: '{"event":"tracking_update"}',
  attempt: 1,
  round: 0,
  fresh: true,
  url: 'https://hooks.example/pts?token=hunter2',
  encryptedSecret: `encrypted ${SECRET}`,
  retiredSecrets: [],
  retiredUntil: [],
  failingSince: null,
  encryptedHeaders: null,
  format: 'v1',
  requestId: 'r1',
  traceparent: null,
  storedAt: new Date(NOW.getTime() - 2000),
};
const due = (...more: Partial<DueDelivery>[]) =>
  more.map((fields, index) => ({ ...DUE, deliveryId: String(42 + index), trackingId: `t${index}`, ...fields }));
const answered = (status: number, more: Partial<Extract<Sent, { kind: 'answered' }>> = {}) =>
  ({ kind: 'answered', status, durationMs: 12, excerpt: '', retryAfter: null, ...more }) as Sent;
const TIMEOUT = {
  kind: 'no_answer',
  durationMs: 10_000,
  reason: message('no_answer.timeout', { seconds: 10 }),
} as Sent;

type Differs = { [G in keyof DrainDeps]?: Partial<DrainDeps[G]> };

/** The surroundings of a dispatcher: pending deliveries, the receiver's answers, and a record of its actions. */
function surroundings(pending: DueDelivery[], sent: Sent | (() => Promise<Sent>), differs: Differs = {}) {
  const left = [...pending];
  const done = {
    loaded: [] as LoadRequest[],
    sent: [] as { url: string; headers: Record<string, string>; body: string }[],
    recorded: [] as AttemptOutcome[],
    woken: [] as DeliverJob[],
    wakeTimers: [] as unknown[],
    noted: [] as unknown[],
    counted: [] as unknown[],
    logged: [] as [level: string, fields: Record<string, unknown>, message: string][],
  };
  const note = (what: string) => async (_endpoint: EndpointKey, value: unknown) => void done.noted.push([what, value]);
  const log = (level: string) => (fields: Record<string, unknown>, message: string) =>
    done.logged.push([level, fields, message]);
  const store: DrainDeps['store'] = {
    load: async (request) => {
      done.loaded.push(request);
      return left.splice(0, request.page.fresh);
    },
    record: async (outcome) => void done.recorded.push(outcome),
    endpoints: {
      noteFailure: async (_id, at) => {
        done.noted.push(['failure', at]);
        return at;
      },
      noteRecovery: async () => void done.noted.push(['recovery']),
      hold: note('hold'),
      disable: async (_id, reason) => {
        done.noted.push(['disable', reason]);
        return true;
      },
      supersede: async () => void done.noted.push(['supersede']),
    },
  };
  const receiver: DrainDeps['receiver'] = {
    send: async (push) => {
      done.sent.push({ ...push, body: Buffer.from(push.body).toString() });
      return typeof sent === 'function' ? sent() : sent;
    },
    decryptSecret: (encrypted) => encrypted.replace('encrypted ', ''),
    retryTimeScale: 1,
  };
  const clock: DrainDeps['clock'] = {
    now: () => NOW,
    wake: (endpoint) => void done.woken.push(endpoint),
    wakeAt: (endpoint, dueAt) => void done.wakeTimers.push([endpoint, dueAt]),
    stopping: new AbortController().signal,
    stopSends: new AbortController().signal,
  };
  const reporting = {
    logger: { debug: log('debug'), info: log('info'), isLevelEnabled: () => true },
    failures: createFailureLog({ info: log('info'), warn: log('warn') } as never, () => NOW),
    metrics: {
      attempts: { inc: (labels: unknown) => done.counted.push(labels) },
      sendSeconds: { observe: (_labels: unknown, seconds: unknown) => done.counted.push(seconds) },
      pushSeconds: { observe: (seconds: unknown) => done.counted.push(seconds) },
      scanPushSeconds: { observe: (seconds: unknown) => done.counted.push({ sinceScan: seconds }) },
    },
  } as unknown as DrainDeps['reporting'];
  const admission = { windows: createConcurrencyWindows(), limiter: createFairLimiter(100), endpointCount: () => 1 };
  const deps: DrainDeps = {
    store: { ...store, ...differs.store },
    admission: { ...admission, ...differs.admission },
    receiver: { ...receiver, ...differs.receiver },
    reporting: { ...reporting, ...differs.reporting },
    clock: { ...clock, ...differs.clock },
  };
  return { done, deps, run: (endpoint: PendingEndpoint = ENDPOINT) => drain(deps, endpoint) };
}

test('if nothing is due, nothing is sent, recorded or woken', async () => {
  const { done, run } = surroundings([], answered(200));
  await run();
  expect(done).toMatchObject({ sent: [], recorded: [], woken: [], wakeTimers: [], noted: [], logged: [] });
  const page = { fresh: 16, late: 4 };
  expect(done.loaded).toEqual([{ ...KEY, after: null, inFlight: [], page }]);
});

describe('an attempt', () => {
  test('sends the stored body, signed now', async () => {
    const { done, run } = surroundings(due({ attempt: 3 }), answered(200));
    await run();
    expect(done.sent).toEqual([
      {
        url: DUE.url,
        body: DUE.body,
        headers: expect.objectContaining({
          'X-Webhook-Signature': `t=${T},v1=${sign(SECRET, T, DUE.body)}`,
          'X-Webhook-Timestamp': String(T),
          'X-Webhook-Event': 'tracking_update',
          'X-Webhook-Attempt': '3',
          'X-Webhook-Id': DUE.messageId,
        }),
      },
    ]);
  });

  test('is signed with every secret that was replaced within 24 hours', async () => {
    const [boxes, secrets] = [
      ['OLD', 'OLDER', 'OLDEST'].map((name) => `encrypted ${SECRET}${name}`),
      ['', 'OLD', 'OLDER'].map((name) => `${SECRET}${name}`),
    ];
    const rotating = due({ retiredSecrets: boxes, retiredUntil: [after(2), after(1), NOW] });
    const { done, run } = surroundings(rotating, answered(200));
    await run();
    expect(done.sent[0]?.headers).toMatchObject({
      'X-Webhook-Signature': `t=${T},${secrets.map((secret) => `v1=${sign(secret, T, DUE.body)}`).join(',')}`,
      'webhook-signature': standardSignatureHeader(secrets, DUE.messageId, T, DUE.body),
    });
  });

  test('that succeeds is recorded with what the receiver said, counted and logged', async () => {
    const { done, run } = surroundings(due({ attempt: 2 }), answered(204, { excerpt: 'thanks' }));
    await run();
    const { deliveryId, messageId, webhookId, accountId, event } = DUE;
    expect(done.recorded).toMatchObject([
      {
        deliveryId,
        messageId,
        webhookId,
        accountId,
        event,
        attempt: 2,
        round: 0,
        startedAt: NOW,
        statusCode: 204,
        error: null,
        durationMs: 12,
        responseExcerpt: 'thanks',
        trace: { url: DUE.url },
        state: 'delivered',
        nextAttemptAt: null,
      },
    ]);
    expect(done.counted).toEqual([{ outcome: 'delivered' }, 0.012, 2.012]);
    expect(done.logged).toEqual([
      [
        'debug',
        expect.objectContaining({ deliveryId: '42', attempt: 2, statusCode: 204, durationMs: 12 }),
        'delivered',
      ],
    ]);
    expect(done).toMatchObject({ woken: [], wakeTimers: [], noted: [] });
  });

  test('that succeeds tells how long ago the carrier scanned the parcel, once for an update and not for a redelivery', async () => {
    const trackingId = lowestId(after(-3600));
    const body = `{"event":"tracking_update","created_at":"2026-03-09T04:05:00Z","data":{"events":[{"time":"2026-03-09T04:03:00Z"}]}}`;
    const about = { trackingId, body };
    const others = [{ event: 'tracking_delivered' }, { round: 1 }].map((more) => ({ ...about, ...more }));
    const { done, run } = surroundings(due(about, ...others), answered(200));
    await run();
    expect(done.counted.filter((each) => JSON.stringify(each).includes('sinceScan'))).toEqual([{ sinceScan: 122.012 }]);
  });

  test('that fails is recorded with its error, and the next is due relative to its end', async () => {
    let at = NOW;
    const { done, run } = surroundings(
      due({ attempt: 1 }),
      async () => {
        at = after(10);
        return TIMEOUT;
      },
      { clock: { now: () => at } },
    );
    await run();
    expect(done.recorded).toMatchObject([
      {
        startedAt: NOW,
        statusCode: 0,
        error: '["no_answer.timeout",{"seconds":10}]',
        durationMs: 10_000,
        responseExcerpt: null,
        state: 'owed',
        nextAttemptAt: after(40),
      },
    ]);
    expect(done.counted).toEqual([{ outcome: 'failed' }, 10]);
    expect(done.wakeTimers).toEqual([[{ ...ENDPOINT, isFailing: true }, after(40)]]);
  });

  test('that fails for the 14th time is the last', async () => {
    const { done, run } = surroundings(due({ attempt: 14 }), answered(500));
    await run();
    expect(done.recorded).toMatchObject([{ attempt: 14, state: 'exhausted', nextAttemptAt: null }]);
    expect(done.wakeTimers).toEqual([]);
    expect(done.logged).toMatchObject([
      ['warn', { attempt: 14, gaveUp: 1 }, 'endpoint failing'],
      ['debug', { attempt: 14 }, 'gave up'],
    ]);
  });
});

test('the wake timer is set for the earliest of the next attempts', async () => {
  const { done, run } = surroundings(due({ attempt: 5 }, { attempt: 2 }, { attempt: 9 }), answered(500));
  await run();
  expect(done.wakeTimers).toEqual([[expect.anything(), after(60)]]);
});

test('deliveries of one parcel are sent one after the other in their order, those of other parcels at the same time', async () => {
  const answers: (() => void)[] = [];
  const parcels = ['a', 'a', 'b', 'a', 'b'];
  const pending = due(...parcels.map((trackingId, seq) => ({ trackingId, body: `${trackingId}${seq}` })));
  const { done, run } = surroundings(
    pending,
    () => new Promise<Sent>((resolve) => answers.push(() => resolve(answered(200)))),
  );
  const running = run();
  const order = () => done.sent.map(({ body }) => body);
  const settle = () => new Promise(setImmediate);
  await settle();
  expect(order()).toEqual(['a0', 'b2']);
  answers[0]?.();
  await settle();
  expect(order()).toEqual(['a0', 'b2', 'a1']);
  answers[1]?.();
  await settle();
  expect(order()).toEqual(['a0', 'b2', 'a1', 'b4']);
  for (let n = 2; n < 5; n++) {
    answers[n]?.();
    await settle();
  }
  await running;
  expect(order().at(-1)).toBe('a3');
});

test('the number in flight never exceeds the endpoint’s window, which grows as it answers', async () => {
  let underWay = 0;
  const widest: number[] = [];
  const { run, done } = surroundings(due(...Array.from({ length: 90 }, () => ({}))), async () => {
    underWay += 1;
    widest.push(underWay);
    await new Promise(setImmediate);
    underWay -= 1;
    return answered(200);
  });
  await run();
  expect(done.recorded).toHaveLength(90);
  expect(Math.max(...widest.slice(0, 4))).toBe(4);
  expect(Math.max(...widest)).toBeGreaterThan(16);
  expect(Math.max(...widest)).toBeLessThanOrEqual(64);
  // For an endpoint with a small window, deliveries are loaded in small pages, one after another.
  const pages = done.loaded.map(({ page, after }) => ({ fresh: page.fresh, after }));
  expect(pages.slice(0, 2)).toEqual([
    { fresh: 16, after: null },
    { fresh: expect.any(Number), after: '57' },
  ]);
  expect(pages.at(-1)?.fresh).toBeGreaterThan(32);
});

test('a database that does not store attempts holds the next ones back, until it does', async () => {
  const unblock: (() => void)[] = [];
  const { done, run } = surroundings(due(...Array.from({ length: 9 }, () => ({}))), answered(200), {
    admission: { limiter: createFairLimiter(2) },
    store: { record: async () => new Promise<void>((stored) => unblock.push(stored)) },
  });
  const running = run();
  const settle = () => new Promise(setImmediate);
  await settle();
  await settle();
  expect(done.sent).toHaveLength(4);
  for (let stored = 0; stored < 9; stored++) {
    unblock[stored]?.();
    await settle();
  }
  await running;
  expect(done.sent).toHaveLength(9);
});

test('a time slice ends after a while: the remaining deliveries queue up behind other endpoints', async () => {
  let at = NOW;
  const { done, run } = surroundings(
    due(...Array.from({ length: 30 }, () => ({}))),
    async () => {
      at = new Date(at.getTime() + 1000);
      return answered(200);
    },
    { clock: { now: () => at } },
  );
  await run();
  expect(done.recorded.length).toBeGreaterThanOrEqual(5);
  expect(done.recorded.length).toBeLessThan(30);
  expect(done.woken).toEqual([ENDPOINT]);
});

test('its time begins with its first push: what takes long before does not end it', async () => {
  let at = NOW;
  const { done, deps, run } = surroundings(due({ failingSince: after(-60) }), answered(200), {
    clock: { now: () => at },
  });
  deps.store.endpoints.supersede = async () => {
    at = after(6);
  };
  const { load } = deps.store;
  deps.store.load = async (request) => {
    at = after(12);
    return load(request);
  };
  await run({ ...ENDPOINT, isFailing: true });
  expect(done).toMatchObject({ recorded: [{ state: 'delivered' }], woken: [] });
});

test('when stopping, it starts no other push, and those in flight are recorded', async () => {
  const stopping = new AbortController();
  const { done, run } = surroundings(
    due(...Array.from({ length: 30 }, () => ({}))),
    async () => {
      stopping.abort();
      return answered(200);
    },
    { clock: { stopping: stopping.signal } },
  );
  await run();
  expect(done.sent).toHaveLength(4);
  expect(done.recorded).toHaveLength(4);
});

test('when it no longer waits for a receiver, the attempt in flight is not recorded and does not count', async () => {
  const stopSends = new AbortController();
  const { done, run } = surroundings(
    due({}),
    () => {
      stopSends.abort();
      return new Promise(() => {});
    },
    { clock: { stopSends: stopSends.signal } },
  );
  await run();
  expect(done).toMatchObject({ recorded: [], noted: [], wakeTimers: [] });
  expect(done.sent).toHaveLength(1);
});

describe('the health of an endpoint', () => {
  test('a failure after successes is recorded once', async () => {
    const { done, run } = surroundings(due({}, {}, {}), answered(500));
    await run();
    expect(done.noted).toEqual([['failure', NOW]]);
  });

  test('a success after failures is reported as a recovery; one among successes is not', async () => {
    const since = { failingSince: after(-60) };
    const { done, run } = surroundings(due(since, since), answered(200));
    await run({ ...ENDPOINT, isFailing: true });
    expect(done.noted).toEqual([['supersede'], ['recovery']]);
  });

  test('it recovers also if a page was read before its failure was stored', async () => {
    const { done, deps } = surroundings([], answered(200));
    const health = watchHealth(deps.store.endpoints, ENDPOINT, deps.reporting.failures);
    await health.store(verdictOf(500, 1, NOW), DUE.url, NOW);
    health.loaded(null);
    await health.store(verdictOf(200, 1, NOW), DUE.url, NOW);
    expect(done.noted).toEqual([['failure', NOW], ['recovery']]);
  });

  test('410 disables it at once, and nothing more is sent', async () => {
    const { done, run } = surroundings(due(...Array.from({ length: 9 }, () => ({}))), answered(410));
    await run();
    expect(done.sent.length).toBeLessThanOrEqual(4);
    expect(done.noted[0]).toEqual(['disable', message('endpoint.gone')]);
    expect(done.logged).toContainEqual([
      'warn',
      expect.objectContaining({ webhookId: KEY.webhookId }),
      'endpoint disabled',
    ]);
    expect(done.woken).toEqual([]);
  });

  test('it is disabled after five days of failures', async () => {
    const fails = surroundings(due({ attempt: 3 }), answered(500));
    fails.deps.store.endpoints.noteFailure = async () => after(-5 * 86_400);
    await fails.run({ ...ENDPOINT, isFailing: true });
    expect(fails.done.noted).toContainEqual(['disable', expect.objectContaining({ code: 'endpoint.gave_up' })]);
  });

  test('nothing is sent before the time it requests, even if more is pending', async () => {
    const { done, run } = surroundings(
      due(...Array.from({ length: 9 }, () => ({}))),
      answered(429, { retryAfter: '60' }),
    );
    await run();
    expect(done.noted).toContainEqual(['hold', after(60)]);
    expect(done.sent.length).toBeLessThanOrEqual(4);
    expect(done.recorded).toMatchObject(done.sent.map(() => ({ state: 'owed', nextAttemptAt: after(60) })));
    expect(done.woken).toEqual([]);
  });
});

describe('a fault of ours', () => {
  const fault = new Error('Postgres is away');

  test.each<[string, Differs]>([
    ['loading', { store: { load: () => Promise.reject(fault) } }],
    [
      'opening the secret',
      {
        receiver: {
          decryptSecret: () => {
            throw fault;
          },
        },
      },
    ],
    ['sending', { receiver: { send: () => Promise.reject(fault) } }],
    ['recording', { store: { record: () => Promise.reject(fault) } }],
  ])('in %s throws: it does not count as an attempt or affect the endpoint’s health', async (_where, broken) => {
    const { done, run } = surroundings(due({}), answered(500), broken);
    await expect(run()).rejects.toBe(fault);
    expect(done).toMatchObject({ recorded: [], woken: [], wakeTimers: [], noted: [], counted: [], logged: [] });
  });

  test('in one attempt prevents others from starting, and attempts in flight are recorded first', async () => {
    let sends = 0;
    const { done, run } = surroundings(due(...Array.from({ length: 30 }, () => ({}))), async () => {
      sends += 1;
      if (sends === 2) throw fault;
      await new Promise(setImmediate);
      return answered(200);
    });
    await expect(run()).rejects.toBe(fault);
    expect(done.sent).toHaveLength(4);
    expect(done.recorded).toHaveLength(3);
  });
});

test('no log line shows a body, a secret, a signature or an address', async () => {
  for (const sent of [answered(200, { excerpt: 'hunter2' }), answered(500, { excerpt: 'hunter2' }), TIMEOUT]) {
    const { done, run } = surroundings(due({}), sent);
    await run();
    expect(done.logged).not.toHaveLength(0);
    expect(JSON.stringify(done.logged)).not.toMatch(/hunter2|hooks\.example|whsec_|v1=|"event":"tracking_update"\}/);
  }
});
