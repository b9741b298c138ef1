import { createLogger } from '@pts/runtime/logger';
import { eventually } from '@pts/testing/eventually';
import { createDispatcherMetrics } from './metrics.ts';
import { startTestDispatch, type TestDispatch } from './testing/test-dispatcher.ts';

/** Compresses the schedule's pauses of up to 34 hours into about a second. */
const SCALE = 1 / 100_000;

describe('with a queue', () => {
  let given: TestDispatch;
  beforeEach(async () => {
    given = await startTestDispatch('redis');
  }, 30_000);
  afterEach(() => given.close(), 30_000);

  test('many deliveries to a dead receiver write a line each at first, one when it starts to fail and one when it recovers', async () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line));
    const logger = createLogger({ app: 'webhook-dispatcher', level: 'info', format: 'json', write });
    const metrics = createDispatcherMetrics();
    let status = 503;
    const merchant = await given.merchant(() => ({ status }));
    await given.owe(merchant, 30);
    given.dispatch({ logger, metrics, retryTimeScale: SCALE, now: () => new Date() });
    const failed = async () => (await metrics.attempts.get()).values.find(({ labels }) => labels.outcome === 'failed');
    await eventually(async () => expect((await failed())?.value).toBeGreaterThan(60));
    status = 200;
    await eventually(async () => expect((await given.states(merchant)).owed).toBeUndefined());
    const ids = { webhookId: merchant.webhook.id, accountId: merchant.accountId };
    const about = lines.filter(({ msg }) => String(msg).startsWith('endpoint'));
    expect(about).toMatchObject([
      { ...ids, level: 'warn', msg: 'endpoint failing', statusCode: 503 },
      ...about.slice(1, -1).map(() => ({ ...ids, level: 'warn', msg: 'endpoint still failing' })),
      { ...ids, level: 'info', msg: 'endpoint recovered' },
    ]);
    // At most one line a minute in between, however long it took.
    expect(about.length).toBeLessThanOrEqual(4);
    const first = lines.filter(({ msg }) => msg === 'not delivered');
    expect(first[0]).toMatchObject({
      ...ids,
      level: 'info',
      attempt: 1,
      statusCode: 503,
      durationMs: expect.any(Number),
    });
    expect(new Set(first.map(({ messageId, trackingId }) => `${messageId} ${trackingId}`)).size).toBe(30);
    expect(lines).toHaveLength(about.length + 30);
  }, 120_000);
});
