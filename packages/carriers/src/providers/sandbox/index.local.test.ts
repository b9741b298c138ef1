import { recordingServer, startServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';
import { sandboxClient } from './index.ts';

afterEach(stopServers);

const clientOf = (baseUrl: string) => sandboxClient({ baseUrl, batchSize: 40 });

const questions = [
  { number: 'SBXDELIVERED0042', carrier: 'sandbox' },
  { number: 'SF7284016359285', carrier: 'sf-express', phone: '4821' },
];

test('all numbers are sent in one call, each with its carrier and phone number', async () => {
  const results = questions.map(({ number }) => ({ number, found: false }));
  const { baseUrl, requested } = await recordingServer({ body: JSON.stringify({ results }) });
  expect(await clientOf(baseUrl).ask(questions)).toEqual([{ kind: 'not_found' }, { kind: 'not_found' }]);
  expect(requested).toMatchObject([{ path: 'POST /track', type: 'application/json' }]);
  expect(JSON.parse(requested[0]?.body ?? '')).toEqual({ numbers: questions });
});

test.each([
  [401, 'auth'],
  [429, 'rate_limited'],
  [500, 'transient'],
])('HTTP %i fails every number as %s', async (status, failure) => {
  const { baseUrl } = await recordingServer({ status, body: '' });
  expect(await clientOf(baseUrl).ask(questions)).toMatchObject([{ failure }, { failure }]);
});

test('an abort ends the call with an answer', async () => {
  const provider = clientOf(await startServer(() => {}));
  const [answer] = await provider.ask(questions, AbortSignal.abort());
  expect(answer).toMatchObject({ kind: 'failed', failure: 'transient' });
});

test('it serves every carrier, 40 numbers per call, at any interval', () => {
  const provider = testProvider('sandbox', { SANDBOX_URL: 'http://127.0.0.1:1' });
  expect(provider.serves('sandbox') && provider.serves('yto')).toBe(true);
  expect(provider.limits).toMatchObject({ batchSize: 40, callsPerSecond: 100, floorSeconds: 0 });
});
