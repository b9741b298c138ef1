import { delayBeforeAttempt } from '@pts/core/webhook/backoff';
import { newSecret, sign, standardSignatureHeader } from '@pts/core/webhook/signature';
import type { AttemptOutcome, DueDelivery } from '@pts/db/deliveries';
import type { Sent } from '@pts/egress/send';
import { deliver } from './deliver.ts';
import type { DeliverDeps } from './deps.ts';

const NOW = new Date('2026-03-09T04:05:06.000Z');
const T = NOW.getTime() / 1000;
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const SECRET = newSecret(new Uint8Array(32).fill(1));
const OLD_SECRET = newSecret(new Uint8Array(32).fill(2));

const DUE: DueDelivery = {
  deliveryId: '42',
  messageId: '65a1b2c3d4e5f60718293a4b',
  webhookId: '65a1b2c3d4e5f60718293a4c',
  accountId: '65a1b2c3d4e5f60718293a4d',
  event: 'tracking_update',
  body: '{"event":"tracking_update"}',
  attempt: 1,
  url: 'https://hooks.example/pts?token=hunter2',
  secretBox: `box of ${SECRET}`,
  previousSecretBox: null,
  previousUntil: null,
};
const answered = (status: number, more: Partial<Extract<Sent, { kind: 'answered' }>> = {}): Sent => ({
  kind: 'answered',
  status,
  durationMs: 12,
  excerpt: '',
  retryAfter: null,
  ...more,
});
const TIMEOUT: Sent = { kind: 'no_answer', durationMs: 10_000, reason: 'timeout: no answer within 10 s' };

/** The dispatcher's surroundings, which keep all that was done to them. */
function surroundings(due: Partial<DueDelivery> | null, sent: Sent, more: Partial<DeliverDeps> = {}) {
  const done = {
    loaded: [] as unknown[],
    sent: [] as { url: string; headers: Record<string, string>; body: string }[],
    recorded: [] as AttemptOutcome[],
    enqueued: [] as unknown[],
    counted: [] as unknown[],
    logged: [] as [level: string, fields: Record<string, unknown>, message: string][],
  };
  const logger = Object.fromEntries(
    ['info', 'warn'].map((level) => [
      level,
      (fields: Record<string, unknown>, message: string) => done.logged.push([level, fields, message]),
    ]),
  ) as unknown as DeliverDeps['logger'];
  const metrics = {
    attempts: { inc: (labels: unknown) => done.counted.push(labels) },
    sendSeconds: { observe: (seconds: unknown) => done.counted.push(seconds) },
  } as unknown as DeliverDeps['metrics'];
  const deps: DeliverDeps = {
    load: async (owed) => {
      done.loaded.push(owed);
      return due && { ...DUE, ...due };
    },
    send: async (push) => {
      done.sent.push(push);
      return sent;
    },
    record: async (outcome) => void done.recorded.push(outcome),
    producer: {
      deliver: async (jobs) => {
        done.enqueued.push(...jobs);
        return true;
      },
    },
    secretBox: { open: (box) => box.replace('box of ', '') },
    logger,
    metrics,
    ladderTimeScale: 1,
    now: () => NOW,
    ...more,
  };
  const make = () => deliver(deps, { deliveryId: '42', attempt: due?.attempt ?? 1 });
  return { done, make };
}

describe('an attempt', () => {
  test('that is not due, or was made already, sends nothing', async () => {
    const { done, make } = surroundings(null, answered(200));
    await make();
    expect(done).toEqual({
      loaded: [{ deliveryId: '42', attempt: 1 }],
      sent: [],
      recorded: [],
      enqueued: [],
      counted: [],
      logged: [],
    });
  });

  test('sends the stored body, signed now', async () => {
    const { done, make } = surroundings({ attempt: 3 }, answered(200));
    await make();
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

  test('is signed with both secrets while they are rotated', async () => {
    const { done, make } = surroundings(
      { previousSecretBox: `box of ${OLD_SECRET}`, previousUntil: after(1) },
      answered(200),
    );
    await make();
    expect(done.sent[0]?.headers).toMatchObject({
      'X-Webhook-Signature': `t=${T},v1=${sign(SECRET, T, DUE.body)},v1=${sign(OLD_SECRET, T, DUE.body)}`,
      'webhook-signature': standardSignatureHeader([SECRET, OLD_SECRET], DUE.messageId, T, DUE.body),
    });
  });

  test.each([
    ['the rotation has ended', { previousSecretBox: `box of ${OLD_SECRET}`, previousUntil: NOW }],
    ['there was no secret before', { previousSecretBox: null, previousUntil: after(1) }],
    ['no end was set', { previousSecretBox: `box of ${OLD_SECRET}`, previousUntil: null }],
  ])('is signed with one secret when %s', async (_why, due) => {
    const { done, make } = surroundings(due, answered(200));
    await make();
    expect(done.sent[0]?.headers['X-Webhook-Signature']).toBe(`t=${T},v1=${sign(SECRET, T, DUE.body)}`);
  });
});

describe('an attempt that succeeds', () => {
  test('is recorded, and nothing more is owed', async () => {
    const { done, make } = surroundings({ attempt: 2 }, answered(204));
    await make();
    const { url, body, secretBox, previousSecretBox, previousUntil, ...ids } = DUE;
    expect(done.recorded).toEqual([
      {
        ...ids,
        attempt: 2,
        startedAt: NOW,
        statusCode: 204,
        error: null,
        durationMs: 12,
        responseExcerpt: null,
        state: 'delivered',
        nextAttemptAt: null,
        wakeAt: null,
      },
    ]);
    expect(done.enqueued).toEqual([]);
  });

  test('keeps what the receiver said', async () => {
    const { done, make } = surroundings({}, answered(200, { excerpt: 'thanks' }));
    await make();
    expect(done.recorded[0]?.responseExcerpt).toBe('thanks');
  });

  test('is counted and logged', async () => {
    const { done, make } = surroundings({}, answered(200));
    await make();
    expect(done.counted).toEqual([{ outcome: 'delivered' }, 0.012]);
    expect(done.logged).toEqual([
      ['info', expect.objectContaining({ deliveryId: '42', attempt: 1, statusCode: 200, durationMs: 12 }), 'delivered'],
    ]);
  });
});

describe('an attempt that fails', () => {
  test.each([
    [1, 30],
    [2, 60],
    [3, 120],
    [4, 240],
  ])('for the %i. time has the next one enqueued for %i s later', async (attempt, seconds) => {
    const { done, make } = surroundings({ attempt }, answered(500));
    await make();
    expect(done.recorded).toMatchObject([
      // The sweep looks only if the wake-up was lost.
      { attempt, state: 'owed', statusCode: 500, nextAttemptAt: after(seconds), wakeAt: after(seconds + 15) },
    ]);
    expect(done.enqueued).toEqual([{ deliveryId: '42', attempt: attempt + 1, delayMs: seconds * 1000 }]);
  });

  test.each([5, 6, 7, 8, 9, 10, 11, 12, 13])(
    'for the %i. time leaves the next one in Postgres until shortly before it is due',
    async (attempt) => {
      const seconds = delayBeforeAttempt(attempt + 1) ?? Number.NaN;
      const { done, make } = surroundings({ attempt }, TIMEOUT);
      await make();
      expect(done.recorded).toMatchObject([
        { attempt, state: 'owed', nextAttemptAt: after(seconds), wakeAt: after(seconds - 20) },
      ]);
      expect(done.enqueued).toEqual([]);
    },
  );

  test('for the 14th time is the last', async () => {
    const { done, make } = surroundings({ attempt: 14 }, answered(500));
    await make();
    expect(done.recorded).toMatchObject([{ attempt: 14, state: 'exhausted', nextAttemptAt: null, wakeAt: null }]);
    expect(done.enqueued).toEqual([]);
    expect(done.counted[0]).toEqual({ outcome: 'exhausted' });
    expect(done.logged).toMatchObject([['warn', { attempt: 14 }, 'gave up']]);
  });

  test('without an answer is recorded with status 0 and why', async () => {
    const { done, make } = surroundings({}, TIMEOUT);
    await make();
    expect(done.recorded).toMatchObject([
      { statusCode: 0, error: 'timeout: no answer within 10 s', durationMs: 10_000, responseExcerpt: null },
    ]);
    expect(done.counted).toEqual([{ outcome: 'failed' }, 10]);
  });

  test('with an answer is recorded with what was said and what is wrong with it', async () => {
    const { done, make } = surroundings({}, answered(302, { excerpt: 'moved' }));
    await make();
    expect(done.recorded).toMatchObject([
      {
        statusCode: 302,
        error: 'the receiver answered 302; redirects are not followed',
        responseExcerpt: 'moved',
      },
    ]);
  });

  test('is retried sooner where the ladder runs faster', async () => {
    const { done, make } = surroundings({ attempt: 10 }, answered(500), { ladderTimeScale: 0.001 });
    await make();
    expect(done.recorded).toMatchObject([{ nextAttemptAt: after(15.36), wakeAt: after(30.36) }]);
    expect(done.enqueued).toEqual([{ deliveryId: '42', attempt: 11, delayMs: 15_360 }]);
  });

  test('is owed the next one counted from its end, not from its start', async () => {
    let at = NOW;
    const { done, make } = surroundings({}, TIMEOUT, {
      now: () => at,
      send: async () => {
        at = after(10);
        return TIMEOUT;
      },
    });
    await make();
    expect(done.recorded).toMatchObject([{ startedAt: NOW, nextAttemptAt: after(40) }]);
    expect(done.enqueued).toMatchObject([{ delayMs: 30_000 }]);
  });
});

describe('a fault of ours', () => {
  const fault = new Error('Postgres is away');

  test.each<[string, Partial<DeliverDeps>]>([
    ['loading', { load: () => Promise.reject(fault) }],
    [
      'opening the secret',
      {
        secretBox: {
          open: () => {
            throw fault;
          },
        },
      },
    ],
    ['sending', { send: () => Promise.reject(fault) }],
    ['recording', { record: () => Promise.reject(fault) }],
  ])('in %s throws: it counts as no attempt and wakes no next one', async (_where, broken) => {
    const { done, make } = surroundings({}, answered(500), broken);
    await expect(make()).rejects.toBe(fault);
    expect(done).toMatchObject({ recorded: [], enqueued: [], counted: [], logged: [] });
  });

  test('in recording has the same attempt made again, under the same number', async () => {
    let calls = 0;
    const recorded: AttemptOutcome[] = [];
    const { done, make } = surroundings({ attempt: 3 }, answered(500), {
      record: async (outcome) => {
        calls += 1;
        if (calls === 1) throw fault;
        recorded.push(outcome);
      },
    });
    await expect(make()).rejects.toBe(fault);
    await make();
    expect(done.sent.map(({ headers }) => headers['X-Webhook-Attempt'])).toEqual(['3', '3']);
    expect(recorded).toMatchObject([{ attempt: 3, state: 'owed' }]);
    expect(done.enqueued).toMatchObject([{ attempt: 4 }]);
  });
});

test('no log line shows a body, a secret, a signature or an address', async () => {
  for (const sent of [answered(200, { excerpt: 'hunter2' }), answered(500, { excerpt: 'hunter2' }), TIMEOUT]) {
    const { done, make } = surroundings({}, sent);
    await make();
    expect(done.logged).toHaveLength(1);
    expect(JSON.stringify(done.logged)).not.toMatch(/hunter2|hooks\.example|whsec_|v1=|"event":"tracking_update"\}/);
  }
});
