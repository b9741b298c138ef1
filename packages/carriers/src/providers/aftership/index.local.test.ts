import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';

afterEach(stopServers);

async function recorded(answer: unknown, status = 200) {
  const { baseUrl, requested } = await recordingServer({ status, body: JSON.stringify(answer) });
  const env = { PROVIDER_URLS: `aftership=${baseUrl}/tracking/2025-01`, AFTERSHIP_KEY: 'k-secret' };
  return { provider: testProvider('aftership', env), requested };
}

const QUESTIONS = [
  { number: '9434917204856391027415', carrier: 'usps' },
  { number: '463185920371648', carrier: 'yunda', destinationCountry: 'CN' },
];

test('the last four digits of a phone are sent for carriers that want them, and for no others', async () => {
  const { requested, provider } = await recorded({ meta: { code: 201 }, data: { id: 'q1' } }, 201);
  const phone = '+86 139 0017 4821';
  for (const [number, carrier] of [
    ['SF7284016359285', 'sf-express'] as const,
    ['9434917204856391027415', 'usps'] as const,
  ])
    await provider.subscribe?.([{ number, carrier, phone }], null);
  expect(requested.map(({ body }) => JSON.parse(body))).toEqual([
    { tracking_number: 'SF7284016359285', slug: 'sf-express', tracking_key: '4821' },
    { tracking_number: '9434917204856391027415', slug: 'usps' },
  ]);
});

test('all numbers are read in one call', async () => {
  const { requested, provider } = await recorded({ meta: { code: 200 }, data: { trackings: [] } });
  expect(await provider.ask(QUESTIONS)).toMatchObject([{ kind: 'not_found' }, { kind: 'not_found' }]);
  expect(requested).toMatchObject([
    { path: 'GET /tracking/2025-01/trackings?tracking_numbers=9434917204856391027415%2C463185920371648&limit=200' },
  ]);
});

test('a number is registered with its slug, or found by AfterShip', async () => {
  const { requested, provider } = await recorded({ meta: { code: 201 }, data: { id: 'q1' } }, 201);
  for (const question of QUESTIONS)
    expect(await provider.subscribe?.([question], null)).toEqual([{ kind: 'subscribed', remoteId: 'q1' }]);
  expect(requested.map(({ path }) => path)).toEqual(Array(2).fill('POST /tracking/2025-01/trackings'));
  expect(requested.map(({ body }) => JSON.parse(body))).toEqual([
    { tracking_number: '9434917204856391027415', slug: 'usps' },
    { tracking_number: '463185920371648', destination_country_region: 'CHN' },
  ]);
});
