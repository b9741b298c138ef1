import { claimWatches, emitAttention, findAttention, followAttention, type Watch } from '@pts/db/attention';
import { messagesOfTracking } from '@pts/db/deliveries/log';
import { stopTracking } from '@pts/db/trackings/records';
import { freshNumber } from '@pts/testing/factories';
import { query } from './ask.ts';
import { sweepAttention } from './sweeps.ts';
import {
  found,
  killedBeforeCommit,
  openPollerTest,
  type PollerTest,
  scan,
  scriptedProvider,
} from './testing/test-poller.ts';

const DAY = 86_400;
const ATTENTION = ['tracking_attention' as const];

describe('attention', () => {
  let poller: PollerTest;
  beforeAll(async () => {
    poller = await openPollerTest();
  });
  afterAll(() => poller.close());

  /** An account that is watched, a parcel of it, and what the carrier says of that. */
  async function story(...subscriptions: Parameters<PollerTest['account']>) {
    const history = [scan(0, 'in_transit')];
    const provider = scriptedProvider(() => found(...history), { name: freshNumber() });
    const deps = poller.depsFor(provider);
    const account = await poller.account(...subscriptions);
    await sweepAttention(deps);
    const parcel = await poller.watch(account, freshNumber(), { provider: provider.name });
    const ask = async () => query(deps, await poller.parcels(parcel));
    return {
      ...{ deps, account, parcel, ask },
      /** The carrier says something new. */
      news: async (...scans: Parameters<typeof found>) => {
        history.push(...scans);
        await poller.db.check.updateMany({ where: { trackingId: parcel }, data: { nextCheckAt: poller.clock.now() } });
        await ask();
      },
      sweep: async () => {
        poller.clock.pass(15);
        await sweepAttention(deps);
      },
      /** The reasons of its events, oldest first, each as often as it was sent. */
      reasons: async () => {
        const where = { trackingId: parcel, event: 'tracking_attention' };
        const messages = await poller.db.message.findMany({ where, orderBy: { seq: 'asc' } });
        return messages.map(({ body }) => JSON.parse(body).data.attention.reason);
      },
    };
  }

  test('is an event when a parcel has had no news for a week, once', async () => {
    const { parcel, account, ask, sweep, reasons } = await story(ATTENTION, ['tracking_update']);
    await ask();
    const newsAt = poller.clock.now();
    poller.clock.pass(7 * DAY - 60);
    await sweep();
    expect(await reasons()).toEqual([]);
    poller.clock.pass(60);
    await sweep();
    await sweep();
    const [message, ...others] = await poller.db.message.findMany({
      where: { trackingId: parcel, event: 'tracking_attention' },
    });
    expect(others).toEqual([]);
    const { data } = JSON.parse(message?.body ?? '');
    const since = new Date(newsAt.getTime() + 7 * DAY * 1000).toISOString().replace('.000Z', 'Z');
    expect(data).toMatchObject({
      sub_status: 'in_transit',
      seq: 2,
      attention: { reason: 'no_news', since, details: 'There have been no updates for 7 days.' },
    });
    expect((await poller.tracking(parcel)).seq).toBe(2);
    // The parcel's own events say why.
    const [event] = await messagesOfTracking(poller.db, { accountId: account, id: parcel });
    expect(event).toMatchObject({ event: 'tracking_attention', attention: { reason: 'no_news' } });
    // Only the endpoint that subscribed by name gets it.
    const deliveries = await poller.db.delivery.findMany({ where: { messageId: message?.id ?? '' } });
    const subscribed = await poller.db.webhook.findFirst({
      where: { accountId: account, events: { equals: ATTENTION } },
    });
    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual([subscribed?.id]);
  });

  test('begins again only if it ended in between', async () => {
    const { news, sweep, reasons } = await story(ATTENTION);
    await news();
    await news(scan(1, 'available_for_pickup'));
    await sweep();
    await news(scan(2, 'available_for_pickup', 'reminder'));
    await sweep();
    expect(await reasons()).toEqual(['pickup']);
    await news(scan(3, 'in_transit', 'moved to another shop'));
    await sweep();
    await news(scan(4, 'available_for_pickup', 'at the other shop'));
    await sweep();
    expect(await reasons()).toEqual(['pickup', 'pickup']);
  });

  test('of a parcel without news ends with news, and begins again after as many days', async () => {
    const { ask, news, sweep, reasons } = await story(ATTENTION);
    await ask();
    for (const minute of [1, 2]) {
      poller.clock.pass(7 * DAY);
      await sweep();
      await news(scan(minute, 'in_transit', `stop ${minute}`));
      await sweep();
    }
    poller.clock.pass(7 * DAY);
    await sweep();
    expect(await reasons()).toEqual(['no_news', 'no_news', 'no_news']);
  });

  test('passes from one reason to another, and ends with the delivery', async () => {
    const { account, parcel, ask, news, sweep, reasons } = await story(ATTENTION);
    await ask();
    await news(scan(1, 'exception', 'held'));
    await sweep();
    await news(scan(2, 'delivered'));
    await sweep();
    expect(await reasons()).toEqual(['exception']);
    expect(await poller.db.attentionMark.count({ where: { accountId: account } })).toBe(0);
    expect(await poller.emitted(parcel)).toEqual([
      ...['tracking_update', 'tracking_update', 'tracking_exception', 'tracking_attention'],
      ...['tracking_update', 'tracking_delivered'],
    ]);
  });

  test('is an event when the expected delivery is past everywhere', async () => {
    const { parcel, ask, sweep, reasons } = await story(ATTENTION);
    await ask();
    const day = new Date(poller.clock.now().getTime() + DAY * 1000).toISOString().slice(0, 10);
    await poller.db.tracking.update({ where: { id: parcel }, data: { annotations: { estimate: { to: day } } } });
    poller.clock.pass(2 * DAY);
    await sweep();
    expect(await reasons()).toEqual([]);
    poller.clock.pass(DAY / 2);
    await sweep();
    await sweep();
    expect(await reasons()).toEqual(['late']);
  });

  test('is not caused by a parcel whose polling was stopped', async () => {
    const { account, parcel, ask, sweep, reasons } = await story(ATTENTION);
    await ask();
    await stopTracking(poller.db, { accountId: account, id: parcel, now: poller.clock.now() });
    poller.clock.pass(8 * DAY);
    await sweep();
    expect(await reasons()).toEqual([]);
  });

  test('is no event of an account that has not asked for it, or of what began before it did', async () => {
    const { deps, account, ask, sweep, reasons } = await story(['tracking_update']);
    await ask();
    poller.clock.pass(7 * DAY);
    await sweep();
    await poller.db.account.update({ where: { id: account }, data: { attention: { events: true } } });
    await sweep();
    expect(await reasons()).toEqual([]);
    const late = await poller.watch(account, freshNumber(), { provider: deps.provider.name });
    poller.clock.pass(3 * DAY);
    await sweep();
    expect(await poller.emitted(late)).toEqual(['tracking_attention']);
    expect(
      await poller.db.delivery.count({ where: { accountId: account, message: { event: 'tracking_attention' } } }),
    ).toBe(0);
  });

  test('begins after as many days as the account has chosen', async () => {
    const { account, ask, sweep, reasons } = await story(ATTENTION);
    await poller.db.account.update({ where: { id: account }, data: { attention: { days: { in_transit: 2 } } } });
    await ask();
    poller.clock.pass(2 * DAY);
    await sweep();
    expect(await reasons()).toEqual(['no_news']);
  });

  describe('over a kill', () => {
    const EMIT = { pages: undefined };
    async function claimed() {
      const { account, parcel, ask, news, sweep, reasons } = await story(ATTENTION);
      await ask();
      poller.clock.pass(7 * DAY);
      await followAttention(poller.db, poller.clock.now());
      const watches = await claimWatches(poller.db, { limit: 100, everyMs: 15_000, now: poller.clock.now() });
      const watch = watches.find(({ accountId }) => accountId === account) as Watch;
      const ids = await findAttention(poller.db, watch, 100, poller.clock.now());
      expect(ids).toEqual([parcel]);
      return { watch, ids, parcel, news, sweep, reasons };
    }

    test('after the claim, another process emits it at its next sweep', async () => {
      const { sweep, reasons } = await claimed();
      await sweep();
      expect(await reasons()).toEqual(['no_news']);
    });

    test('before the commit, neither mark nor event is stored', async () => {
      const { watch, ids, parcel, sweep, reasons } = await claimed();
      const killed = killedBeforeCommit(poller.db);
      await expect(emitAttention(killed, watch, ids, { ...EMIT, now: poller.clock.now() })).rejects.toThrow('killed');
      expect(await reasons()).toEqual([]);
      expect((await poller.tracking(parcel)).seq).toBe(1);
      await sweep();
      expect(await reasons()).toEqual(['no_news']);
    });

    test('news that comes before the parcel is locked prevents it', async () => {
      const { watch, ids, news, reasons } = await claimed();
      await news(scan(1, 'in_transit', 'the next stop'));
      const { marked } = await emitAttention(poller.db, watch, ids, { ...EMIT, now: poller.clock.now() });
      expect([marked, await reasons()]).toEqual([0, []]);
    });

    test('two processes at once emit it once', async () => {
      const { watch, ids, reasons } = await claimed();
      const now = poller.clock.now();
      const both = await Promise.all([1, 2].map(() => emitAttention(poller.db, watch, ids, { ...EMIT, now })));
      expect(both.map(({ marked }) => marked).sort()).toEqual([0, 1]);
      expect(await reasons()).toEqual(['no_news']);
    });
  });
});
