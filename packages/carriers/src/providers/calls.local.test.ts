import { recordingServer, stopServers } from '../testing/local-server.ts';
import { testProvider } from '../testing/provider.ts';
import { basic, requestsOf } from '../testing/requested.ts';
import { PROVIDERS } from './index.ts';
import { digestOf } from './jt-express/index.ts';

afterEach(stopServers);

const UNKNOWN_ID: Record<string, [status: number, body: object]> = {
  aftership: [404, { meta: { code: 4004 } }],
  trackingmore: [400, { meta: { code: 4102 } }],
  ship24: [404, { errors: [{ code: 'tracker_not_found' }] }],
};
const release = async (name: string, status: number, body: object, remoteId: string | null = 'id/1') => {
  const { baseUrl, requested } = await recordingServer({ status, body: JSON.stringify(body) });
  const variable = name.toUpperCase();
  const provider = testProvider(name, { PROVIDER_URLS: `${name}=${baseUrl}/v1`, [`${variable}_KEY`]: 'k' });
  const question = { number: 'N12345', carrier: 'usps', remoteId };
  return { provider, question, requested, outcome: (await provider.release?.([question]))?.[0] };
};

test.each([
  ['aftership', 'DELETE /v1/trackings/id%2F1', ''],
  ['trackingmore', 'DELETE /v1/trackings/delete/id%2F1', ''],
  ['ship24', 'PATCH /v1/trackers/id%2F1', '{"isSubscribed":false}'],
])('%s releases a number by the id of its registration', async (name, path, body) => {
  const { requested, outcome } = await release(name, 200, { meta: { code: 200 }, data: {} });
  expect([outcome, requested]).toMatchObject([{ kind: 'released' }, [{ path, body }]]);
  expect((await release(name, ...(UNKNOWN_ID[name] ?? [404, {}]))).outcome).toEqual({ kind: 'unknown' });
  expect((await release(name, 401, { meta: { code: 401 } })).outcome).toMatchObject({ failure: 'auth' });
  expect((await release(name, 503, {})).outcome).toMatchObject({ failure: 'transient' });
  expect((await release(name, 200, {}, null)).outcome).toEqual({ kind: 'unknown' });
});

test('Ship24 resumes the tracker that was released, which is free', async () => {
  const { provider, question, requested } = await release('ship24', 200, { data: {} });
  expect(await provider.resume?.([question])).toEqual([{ kind: 'subscribed' }]);
  expect(requested[1]).toMatchObject({ path: 'PATCH /v1/trackers/id%2F1', body: '{"isSubscribed":true}' });
});

const token = { grant_type: 'client_credentials', client_id: 'i d', client_secret: 's&t' };

test.each([
  [
    'fedex',
    { path: 'POST /v1/oauth/token', body: new URLSearchParams(token).toString() },
    {
      path: 'POST /v1/track/v1/trackingnumbers',
      body: JSON.stringify({
        includeDetailedScans: true,
        trackingInfo: ['N1', 'N2'].map((trackingNumber) => ({ trackingNumberInfo: { trackingNumber } })),
      }),
    },
  ],
  [
    'usps',
    { path: 'POST /v1/oauth2/v3/token', body: JSON.stringify(token) },
    { path: 'POST /v1/tracking/v3r2/tracking', body: '[{"trackingNumber":"N1"},{"trackingNumber":"N2"}]' },
  ],
])('%s is asked about all numbers in one call, with a token', async (name, tokenCall, call) => {
  const variable = name.toUpperCase();
  const env = { [`${variable}_CLIENT_ID`]: 'i d', [`${variable}_CLIENT_SECRET`]: 's&t' };
  const questions = ['N1', 'N2'].map((number) => ({ number, carrier: name }));
  const requested = await requestsOf(name, (url) => ({ ...env, PROVIDER_URLS: `${name}=${url}v1` }), questions);
  expect(requested).toMatchObject([tokenCall, { ...call, headers: { authorization: 'Bearer token' } }]);
});

test('DHL is asked about one number in a call, with the key, in English', async () => {
  const env = (url: string) => ({ PROVIDER_URLS: `dhl-unified=${url}`, DHL_UNIFIED_API_KEY: 'k' });
  const requested = await requestsOf('dhl-unified', env, [{ number: 'N&1', carrier: 'dhl' }]);
  const path = 'GET /track/shipments?trackingNumber=N%261&language=en';
  expect(requested).toMatchObject([{ path, headers: { 'dhl-api-key': 'k' } }]);
});

const POSTNL = '/shipment/v2/status/barcode/N%261?detail=true&language=EN';
const asked = (name: string, env: Record<string, string>, ...numbers: string[]) => {
  const [carrier = ''] = Object.keys(PROVIDERS.find((each) => each.name === name)?.carriers ?? {});
  const questions = numbers.map((number) => ({ number, carrier }));
  return requestsOf(name, (url) => ({ ...env, PROVIDER_URLS: `${name}=${url}` }), questions);
};

test.each([
  [
    'delhivery',
    { DELHIVERY_TOKEN: 't' },
    { path: 'GET /api/v1/packages/json/?waybill=N1%2CN%262', headers: { authorization: 'Token t' } },
  ],
  [
    'nova-poshta',
    { NOVA_POSHTA_API_KEY: 'k' },
    {
      path: 'POST /v2.0/json/',
      body: JSON.stringify({
        apiKey: 'k',
        modelName: 'TrackingDocument',
        calledMethod: 'getStatusDocuments',
        methodProperties: { Documents: ['N1', 'N&2'].map((DocumentNumber) => ({ DocumentNumber, Phone: '' })) },
      }),
    },
  ],
  [
    'hermes-de',
    {
      HERMES_DE_CLIENT_ID: 'i d',
      HERMES_DE_CLIENT_SECRET: 's&t',
      HERMES_DE_USERNAME: 'u',
      HERMES_DE_PASSWORD: 'p&w',
    },
    { path: 'GET /shipmentinfo?shipmentID=N1&shipmentID=N%262', headers: { authorization: 'Bearer token' } },
    {
      path: 'POST /authorization-facade/oauth2/access_token',
      body: new URLSearchParams({
        grant_type: 'password',
        username: 'u',
        password: 'p&w',
        client_id: 'i d',
        client_secret: 's&t',
      }).toString(),
    },
  ],
  [
    'aramex',
    {
      ARAMEX_USERNAME: 'u',
      ARAMEX_PASSWORD: 'p',
      ARAMEX_ACCOUNT_NUMBER: '20016',
      ARAMEX_ACCOUNT_PIN: '331421',
      ARAMEX_ACCOUNT_ENTITY: 'AMM',
      ARAMEX_ACCOUNT_COUNTRY: 'JO',
    },
    {
      path: 'POST /Tracking/Service_1_0.svc/json/TrackShipments',
      body: JSON.stringify({
        ClientInfo: {
          UserName: 'u',
          Password: 'p',
          Version: 'v1.0',
          AccountNumber: '20016',
          AccountPin: '331421',
          AccountEntity: 'AMM',
          AccountCountryCode: 'JO',
        },
        Shipments: ['N1', 'N&2'],
        GetLastTrackingUpdateOnly: false,
      }),
    },
  ],
  [
    'correios',
    { CORREIOS_USERNAME: 'u', CORREIOS_ACCESS_CODE: 'c', CORREIOS_POSTING_CARD: '0077' },
    {
      path: 'GET /srorastro/v1/objetos?codigosObjetos=N1&codigosObjetos=N%262&resultado=T',
      headers: { authorization: 'Bearer token', 'accept-language': 'pt-BR' },
    },
    {
      path: 'POST /token/v1/autentica/cartaopostagem',
      body: '{"numero":"0077"}',
      headers: { authorization: basic('u', 'c') },
    },
  ],
])('%s is asked about all numbers in one call', async (name, env, call, ...before) => {
  expect(await asked(name, env, 'N1', 'N&2')).toMatchObject([...before, call]);
});

test.each([
  ['inpost', { INPOST_TOKEN: 't' }, [{ path: 'GET /v1/tracking/N%261', headers: { authorization: 'Bearer t' } }]],
  ['postnl', { POSTNL_API_KEY: 'k' }, [{ path: `GET ${POSTNL}`, headers: { apikey: 'k' } }]],
  [
    'bpost',
    { BPOST_ACCOUNT_ID: 'a', BPOST_PASSPHRASE: 'p' },
    [{ path: 'GET /services/trackedmail/item/N%261/trackingInfo', headers: { authorization: basic('a', 'p') } }],
  ],
  [
    'correos',
    { CORREOS_USERNAME: 'u', CORREOS_PASSWORD: 'p' },
    [
      {
        path: 'GET /canonico/eventos_envio_servicio_auth/N%261?codIdioma=ES&indUltEvento=N',
        headers: { authorization: basic('u', 'p') },
      },
    ],
  ],
  [
    'poste-italiane',
    { POSTE_ITALIANE_CLIENT_ID: 'i', POSTE_ITALIANE_CLIENT_SECRET: 's' },
    [
      {
        path: 'POST /user/sessions',
        body: expect.stringContaining('{"clientId":"i","secretId":"s","scope":"https://'),
      },
      {
        path: 'POST /postalandlogistics/parcel/tracking',
        headers: { authorization: 'Bearer token', poste_clientid: 'i' },
        body: expect.stringContaining('"waybillNumber":"N&1"'),
      },
    ],
  ],
  [
    'amazon-shipping',
    {
      AMAZON_SHIPPING_CLIENT_ID: 'i',
      AMAZON_SHIPPING_CLIENT_SECRET: 's',
      AMAZON_SHIPPING_REFRESH_TOKEN: 'r&t',
      AMAZON_SHIPPING_BUSINESS_ID: 'AmazonShipping_IN',
    },
    [
      {
        path: 'POST /auth/o2/token',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: 'r&t',
          client_id: 'i',
          client_secret: 's',
        }).toString(),
      },
      {
        path: 'GET /shipping/v2/tracking?trackingId=N%261&carrierId=ATS',
        headers: { 'x-amz-access-token': 'token', 'x-amzn-shipping-business-id': 'AmazonShipping_IN' },
      },
    ],
  ],
  [
    'sweettracker',
    { SWEETTRACKER_KEY: 'k&y' },
    [{ path: 'GET /api/v1/trackingInfo?t_key=k%26y&t_code=01&t_invoice=N%261' }],
  ],
  [
    'cdek',
    { CDEK_CLIENT_ID: 'i d', CDEK_CLIENT_SECRET: 's&t' },
    [
      { path: 'POST /v2/oauth/token', body: new URLSearchParams(token).toString() },
      { path: 'GET /v2/orders?cdek_number=N%261', headers: { authorization: 'Bearer token' } },
    ],
  ],
])('%s is asked about one number in a call', async (name, env, calls) => {
  expect(await asked(name, env, 'N&1')).toMatchObject(calls);
});

test('J&T is asked with a signed form', async () => {
  const env = {
    JT_EXPRESS_API_ACCOUNT: 'a',
    JT_EXPRESS_PRIVATE_KEY: 'k',
    JT_EXPRESS_CUSTOMER_CODE: 'c',
    JT_EXPRESS_PASSWORD: 'p',
  };
  const bizContent = '{"customerCode":"c","password":"p","billCode":"N&1"}';
  expect(await asked('jt-express', env, 'N&1')).toMatchObject([
    {
      path: 'POST /webopenplatformapi/api/logistics/trace',
      body: new URLSearchParams({ bizContent }).toString(),
      headers: { apiaccount: 'a', digest: digestOf(bizContent, 'k'), timestamp: expect.stringMatching(/^\d{13}$/) },
    },
  ]);
});

test('callbacks that come for the whole account take no call, and are waited for only if they can be verified', async () => {
  const { baseUrl, requested } = await recordingServer({ status: 200, body: '{}' });
  const connect = (name: string, env: Record<string, string>) =>
    testProvider(name, { PROVIDER_URLS: `${name}=${baseUrl}`, ...env });
  const JT = { API_ACCOUNT: 'a', PRIVATE_KEY: 'k', CUSTOMER_CODE: 'c', PASSWORD: 'p' };
  const ofJt = Object.fromEntries(Object.entries(JT).map(([name, value]) => [`JT_EXPRESS_${name}`, value]));
  const ofDelhivery = { DELHIVERY_TOKEN: 't', DELHIVERY_WEBHOOK_SECRET: 's' };
  const [question, callback] = [
    { number: 'N1', carrier: '' },
    { url: 'https://example.com', salt: '' },
  ];
  for (const provider of [connect('jt-express', ofJt), connect('delhivery', ofDelhivery)]) {
    expect(await provider.subscribe?.([question], callback)).toEqual([{ kind: 'subscribed' }]);
  }
  expect(connect('delhivery', { DELHIVERY_TOKEN: 't' }).subscribe).toBeUndefined();
  expect(requested).toEqual([]);
});
