import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';

afterEach(stopServers);

async function recorded(answer: unknown, status = 200) {
  const { baseUrl, requested } = await recordingServer({ status, body: JSON.stringify(answer) });
  return {
    provider: testProvider('ship24', { PROVIDER_URLS: `ship24=${baseUrl}/public/v1`, SHIP24_KEY: 'k-secret' }),
    requested,
  };
}

const QUESTION = { number: '9400136208275019384616', carrier: 'usps', postalCode: '94999', destinationCountry: 'US' };

test('results are read by number', async () => {
  const { requested, provider } = await recorded({ errors: [{ code: 'tracker_not_found' }], data: null }, 404);
  expect(await provider.ask([QUESTION])).toMatchObject([{ kind: 'not_found' }]);
  expect(requested).toMatchObject([{ path: 'GET /public/v1/trackers/search/9400136208275019384616/results' }]);
});

test('a tracker is made with what its carrier needs', async () => {
  const { requested, provider } = await recorded({ data: { tracker: { trackerId: 't1' } } }, 201);
  expect(await provider.subscribe?.([QUESTION], null)).toEqual([{ kind: 'subscribed', remoteId: 't1' }]);
  expect(requested).toMatchObject([{ path: 'POST /public/v1/trackers', type: 'application/json' }]);
  expect(JSON.parse(requested[0]?.body ?? '')).toEqual({
    ...{ trackingNumber: QUESTION.number, courierCode: ['us-post'] },
    ...{ destinationPostCode: '94999', destinationCountryCode: 'US' },
  });
});

test('it serves every carrier, and names those that it knows', async () => {
  const { requested, provider } = await recorded({ data: { tracker: { trackerId: 't1' } } }, 201);
  expect(provider.serves('yunda')).toBe(true);
  await provider.subscribe?.([{ number: '463185920371648', carrier: 'yunda' }], null);
  expect(JSON.parse(requested[0]?.body ?? '')).toEqual({ trackingNumber: '463185920371648' });
});
