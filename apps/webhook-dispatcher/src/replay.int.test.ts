import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import { listReplays, startReplay } from '@pts/db/deliveries/send-again';
import { createLogger } from '@pts/runtime/logger';
import { startLoop } from '@pts/runtime/process/loop';
import { eventually } from '@pts/testing/eventually';
import { createDispatcherMetrics } from './metrics.ts';
import { sweepReplays } from './sweeps.ts';
import { type Merchant, startTestDispatch, type TestDispatch } from './testing/test-dispatcher.ts';

const DAY_MS = 24 * 3_600_000;
const logger = createLogger({ app: 'webhook-dispatcher', level: 'silent', format: 'json' });

describe('resending', () => {
  let given: TestDispatch;
  beforeAll(async () => {
    given = await startTestDispatch('redis');
    await given.db.webhook.count(); // connected before the dispatcher is
    given.dispatch();
  }, 60_000);
  afterAll(() => given.close());

  const idsOf = ({ receiver }: Merchant) => receiver.requests.map(({ headers }) => headers['x-webhook-id']);
  const delivered = async (merchant: Merchant, count: number) => {
    await given.producer.deliver(await given.owe(merchant, count));
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: count }));
  };

  test('a replay sends every message again, under its own id, as attempt 1', async () => {
    const merchant = await given.merchant();
    await delivered(merchant, 12);
    const { accountId, webhook } = merchant;
    const now = new Date();
    const range = { since: new Date(now.getTime() - DAY_MS), until: now, events: webhook.events, filter: null };
    await startReplay(given.db, { webhookId: webhook.id, accountId, ...range, now });
    const sweeps = {
      db: given.db,
      metrics: createDispatcherMetrics(),
      retentionDays: 30,
      hasFree: () => true,
      wake: (endpoint: PendingEndpoint) => void given.producer.deliver([endpoint]),
      wakeAt: () => {},
      now: () => new Date(),
    };
    const loop = startLoop('replay', 50, logger, () => sweepReplays(sweeps));
    await eventually(() => expect(merchant.receiver.requests).toHaveLength(24));
    const ids = idsOf(merchant);
    expect(ids.slice(12).sort()).toEqual(ids.slice(0, 12).sort());
    expect(merchant.receiver.requests.every(({ headers }) => headers['x-webhook-attempt'] === '1')).toBe(true);
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 12 }));
    expect(await listReplays(given.db, accountId, webhook.id)).toMatchObject([{ state: 'done', replayed: 12 }]);
    await loop.stop();
    expect(merchant.receiver.requests).toHaveLength(24);
  });
});
