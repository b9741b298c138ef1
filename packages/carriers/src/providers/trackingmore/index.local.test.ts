import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';

afterEach(stopServers);

async function recorded(answer: unknown) {
  const { baseUrl, requested } = await recordingServer({ body: JSON.stringify(answer) });
  const env = { PROVIDER_URLS: `trackingmore=${baseUrl}/v4`, TRACKINGMORE_KEY: 'k-secret' };
  return { provider: testProvider('trackingmore', env), requested };
}

const QUESTIONS = [
  { number: 'RR419753207NO', carrier: 'posten-norge', phone: '+47 2284 4821' },
  {
    number: 'SF7284016359285',
    carrier: 'sf-express',
    phone: '+86 139 0017 4821',
    postalCode: '0150',
    destinationCountry: 'NO',
  },
];

test('all numbers are read in one call', async () => {
  const { requested, provider } = await recorded({ meta: { code: 200 }, data: [] });
  expect(await provider.ask(QUESTIONS)).toMatchObject([{ kind: 'not_found' }, { kind: 'not_found' }]);
  expect(requested).toMatchObject([{ path: 'GET /v4/trackings/get?tracking_numbers=RR419753207NO%2CSF7284016359285' }]);
});

test('all numbers are registered in one call, with what their carriers need', async () => {
  const success = QUESTIONS.map(({ number }, i) => ({ id: `r${i}`, tracking_number: number }));
  const { requested, provider } = await recorded({ meta: { code: 200 }, data: { success, error: [] } });
  expect(await provider.subscribe?.(QUESTIONS, null)).toMatchObject([{ remoteId: 'r0' }, { remoteId: 'r1' }]);
  expect(requested).toMatchObject([{ path: 'POST /v4/trackings/batch', type: 'application/json' }]);
  expect(JSON.parse(requested[0]?.body ?? '')).toEqual([
    { tracking_number: 'RR419753207NO', courier_code: 'posten-norge' },
    {
      ...{ tracking_number: 'SF7284016359285', courier_code: 'sf-express', customer_phone: '4821' },
      ...{ tracking_postal_code: '0150', tracking_destination_country: 'NO' },
    },
  ]);
});
