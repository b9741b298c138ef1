import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';

afterEach(stopServers);

async function recorded(answer: unknown) {
  const { baseUrl, requested } = await recordingServer({ body: JSON.stringify(answer) });
  const env = { PROVIDER_URLS: `17track=${baseUrl}/track/v2.4/`, TRACK17_KEY: 'k-secret' };
  return { provider: testProvider('17track', env), requested };
}

const QUESTIONS = [
  { number: 'RC518203648CN', carrier: 'china-post' },
  { number: 'SF7284016359285', carrier: 'sf-express', phone: '13800134821' },
  { number: 'LX384601711FR', carrier: 'la-poste', postalCode: '75001', destinationCountry: 'FR' },
];

test('all numbers are read in one call, whatever carrier 17TRACK has found for them', async () => {
  const { requested, provider } = await recorded({ code: 0, data: { accepted: [], rejected: [] } });
  expect(await provider.ask(QUESTIONS)).toEqual(QUESTIONS.map(() => ({ kind: 'not_found' })));
  expect(requested).toMatchObject([{ path: 'POST /track/v2.4/gettrackinfo', type: 'application/json' }]);
  expect(JSON.parse(requested[0]?.body ?? '')).toEqual([
    { number: 'RC518203648CN' },
    { number: 'SF7284016359285' },
    { number: 'LX384601711FR' },
  ]);
});

test('all numbers are registered in one call, with what their carriers need', async () => {
  const accepted = QUESTIONS.map(({ number }) => ({ number }));
  const { requested, provider } = await recorded({ code: 0, data: { accepted, rejected: [] } });
  expect(await provider.subscribe?.(QUESTIONS, null)).toEqual(QUESTIONS.map(() => ({ kind: 'subscribed' })));
  expect(requested).toMatchObject([{ path: 'POST /track/v2.4/register' }]);
  expect(JSON.parse(requested[0]?.body ?? '')).toEqual([
    { number: 'RC518203648CN', carrier: 3011 },
    { number: 'SF7284016359285', carrier: 190_766, param: '4821', phone_number_last_4: '4821' },
    { number: 'LX384601711FR', param: '75001', destination_postal_code: '75001', destination_country: 'FR' },
  ]);
});

test('it serves the carriers that it has a key for, and every post by its numbers', () => {
  const provider = testProvider('17track', { TRACK17_KEY: 'k' });
  for (const carrier of ['usps', 'yanwen', 'la-poste', 'posti']) expect(provider.serves(carrier)).toBe(true);
  for (const carrier of ['amazon', 'shopee-xpress', 'sandbox']) expect(provider.serves(carrier)).toBe(false);
  expect(provider.limits).toMatchObject({ batchSize: 40, callsPerSecond: 3 });
});
