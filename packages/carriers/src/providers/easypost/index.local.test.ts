import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';

afterEach(stopServers);

async function recorded(answer: unknown, status = 200) {
  const { baseUrl, requested } = await recordingServer({ status, body: JSON.stringify(answer) });
  return {
    provider: testProvider('easypost', { PROVIDER_URLS: `easypost=${baseUrl}/v2`, EASYPOST_KEY: 'k' }),
    requested,
  };
}

const QUESTION = { number: '9400136208275019384616', carrier: 'usps' };

test('a number is read from the list of trackers', async () => {
  const { requested, provider } = await recorded({ trackers: [], has_more: false });
  expect(await provider.ask([QUESTION])).toMatchObject([{ kind: 'not_found' }]);
  expect(requested).toMatchObject([{ path: 'GET /v2/trackers?tracking_codes=9400136208275019384616' }]);
});

test('a tracker is made for a carrier', async () => {
  const { requested, provider } = await recorded({ id: 'trk_1', tracking_code: QUESTION.number }, 201);
  expect(await provider.subscribe?.([QUESTION], null)).toEqual([{ kind: 'subscribed', remoteId: 'trk_1' }]);
  expect(requested).toMatchObject([{ path: 'POST /v2/trackers', type: 'application/json' }]);
  expect(JSON.parse(requested[0]?.body ?? '')).toEqual({
    tracker: { tracking_code: QUESTION.number, carrier: 'USPS' },
  });
});
