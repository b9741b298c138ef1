import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/receiver';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { merchantOf } from '../support/merchant.ts';
import { readPush } from '../support/pushes.ts';
import { type Service, startFastService } from '../support/service.ts';

describe.each(stores())('a number that may be of several carriers, on %s', (store) => {
  let service: Service;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ service, close } = await startFastService('candidates', redisUrlOn(store)));
  }, 120_000);
  afterAll(() => close(), 30_000);

  test('shows its candidates, then has the carrier that knows it, for one unit', async () => {
    const merchant = merchantOf(service);
    const receiver = await startReceiver();
    const secret = await merchant.subscribe(receiver.url);
    const number = '770212345678';
    const created = await merchant.register(number);
    expect(created).toMatchObject({ carrier: 'sf-express', candidates: ['sto', 'yto', 'sf-express', 'zto'] });
    expect(created).not.toHaveProperty('detected_carrier');
    const tracking = await eventually(
      async () => {
        const [found] = await merchant.read([number]);
        expect(found).toMatchObject({ id: created.id, carrier: 'yto', detected_carrier: 'yto' });
        return found;
      },
      { everyMs: 100 },
    );
    expect(tracking).not.toHaveProperty('candidates');
    const first = await eventually(() => {
      // If it has to be repeated, later ones arrive before it.
      const push = receiver.requests.map((request) => readPush(request, secret)).find(({ data }) => data.seq === 1);
      expect(push).toBeDefined();
      return push;
    });
    expect(first).toMatchObject({ event: 'tracking_update', data: { carrier: 'yto', tracking_number: number } });
    expect(await merchant.register(number)).toMatchObject({ id: created.id, carrier: 'yto' });
    expect(await merchant.quotaUsed()).toBe(1);
    await receiver.close();
  }, 90_000);

  test('that no carrier knows keeps its candidates, and naming its carrier decides it', async () => {
    const merchant = merchantOf(service);
    const created = await merchant.register('770900000002');
    await eventually(async () => {
      const [found] = await merchant.read(['770900000002']);
      expect(found?.last_checked_at).not.toBeNull();
      expect(found?.candidates).toHaveLength(4);
    });
    const used = await merchant.quotaUsed();
    expect(await merchant.register('770900000002', { courier_code: 'zto', phone: '5678' })).toMatchObject({
      id: created.id,
      carrier: 'zto',
    });
    expect(await merchant.quotaUsed()).toBe(used);
  });
});
