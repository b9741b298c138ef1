import { stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';
import { requestsOf } from '../../testing/requested.ts';

afterEach(stopServers);

const ACCOUNT = { KDNIAO_CUSTOMER: '1900001', KDNIAO_API_KEY: 'k-secret' };

test('a query is a signed form over the exact data sent, with the end of the phone', async () => {
  const requested = await requestsOf('kdniao', (url) => ({ ...ACCOUNT, PROVIDER_URLS: `kdniao=${url}` }), [
    { number: '75283940617254', carrier: 'zto', phone: '+86 138-0013-4821' },
  ]);
  expect(requested).toMatchObject([{ path: 'POST /api/dist' }]);
  expect(Object.fromEntries(new URLSearchParams(requested[0]?.body))).toEqual({
    RequestData: '{"ShipperCode":"ZTO","LogisticCode":"75283940617254","CustomerName":"4821"}',
    EBusinessID: '1900001',
    RequestType: '8001',
    DataSign: 'ZjcxNDQyYmIyMjc4OTQ4NGYxMDFiMzRmMDU2NmQ2ZGQ=',
    DataType: '2',
  });
});

test('a carrier without a code is not queried', async () => {
  const provider = testProvider('kdniao', ACCOUNT);
  expect(provider.serves('amazon')).toBe(false);
  expect(await provider.ask([{ number: 'TBA1', carrier: 'amazon' }])).toMatchObject([
    { failure: 'unreadable', message: 'Kdniao does not serve amazon' },
  ]);
});

test('it requires a phone number for the carriers that answer only with one', () => {
  const provider = testProvider('kdniao', ACCOUNT);
  expect([provider.requires?.('sf-express'), provider.requires?.('yto')]).toEqual([['phone'], []]);
});
