import { knownProviders } from '@pts/carriers/providers/configured';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NAMED = { tracking_number: 'ORDER12345', courier_code: 'sf-express' };
const DETECTED = { tracking_number: 'SF7284016359285' };

let api: TestApi;
beforeAll(async () => {
  // Like an installation where only the poller has the keys.
  api = await startTestApi({ providers: knownProviders({ PROVIDERS: 'kuaidi100' }), sandbox: false });
}, 60_000);
afterAll(() => api.close());

async function expectNothingDone(accountId: string): Promise<void> {
  const where = { where: { accountId } };
  expect(await Promise.all([api.db.tracking.count(where), api.db.quotaUsage.count(where)])).toEqual([0, 0]);
}

test.each([
  ['a carrier that was named', NAMED],
  ['a carrier that was detected', DETECTED],
  ['a phone that is empty', { ...NAMED, phone: '' }],
  ['a dry run', { ...NAMED, dry_run: true }],
])('%s: a phone that the carrier needs is 4122 with the field named, and nothing is charged', async (_, body) => {
  const { id, key } = await api.account();
  const answer = await api.call('POST', '/trackings/create', { key, body });
  expect(answer).toMatchObject({ status: 400, body: { code: 4122, data: { errors: [{ field: 'phone' }] } } });
  expect(answer.body.message).toMatch(/^Missing: phone is required: SF Express .*last four digits/);
  await expectNothingDone(id);
});

test('in a batch and an asynchronous submission the item is refused, and the others are registered', async () => {
  const { key } = await api.account();
  const trackings = [DETECTED, { tracking_number: 'YT8962646785999' }];
  for (const path of ['/trackings/batch', '/track/async']) {
    const { data } = (await api.call('POST', path, { key, body: { trackings } })).body;
    expect(data.error).toMatchObject([
      { index: 0, field: 'phone', errorCode: 4122, errorMessage: expect.stringMatching(/phone is required/) },
    ]);
    expect(data.accepted ?? data.success.length).toBe(1);
  }
});

test('under /v4 the field has the name that it has there', async () => {
  const { key } = await api.account();
  const call = async (path: string, body: unknown) => {
    const headers = { 'Tracking-Api-Key': key, 'Content-Type': 'application/json' };
    const response = await fetch(`${api.url}/v4/trackings${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { meta: { message: string }; data: { error: object[]; errors: object[] } };
  };
  const { meta, data } = await call('/create', NAMED);
  expect(meta.message).toMatch(/^Missing: customer_phone is required/);
  expect(data.errors).toMatchObject([{ field: 'customer_phone' }]);
  expect((await call('/batch', [NAMED])).data.error).toMatchObject([{ index: 0, field: 'customer_phone' }]);
});

test.each(['5678', '13800005678', '+86 138-0000-5678', '(0571) 8888 5678'])(
  'the phone %s is accepted',
  async (phone) => {
    const { key } = await api.account();
    expect((await api.call('POST', '/trackings/create', { key, body: { ...NAMED, phone } })).status).toBe(200);
  },
);

test.each(['567', '138****5678', 'call me', '１２３４', '5678901234567890', '+', '5678;drop', '56 78 ', 5678])(
  'the phone %p is 4130 with the field named, whatever the carrier',
  async (phone) => {
    const { id, key } = await api.account();
    for (const more of [NAMED, { tracking_number: 'YT8962646785999' }]) {
      const answer = await api.call('POST', '/trackings/create', { key, body: { ...more, phone } });
      expect(answer.body).toMatchObject({ code: 4130, data: { errors: [{ field: 'phone' }] } });
    }
    await expectNothingDone(id);
  },
);

test('a carrier that is only a guess is queried without it: the number may belong to another', async () => {
  const { key } = await api.account();
  const body = { tracking_number: '238401736590' };
  expect((await api.call('POST', '/trackings/create', { key, body })).body.data.carrier).toBe('sf-express');
});
