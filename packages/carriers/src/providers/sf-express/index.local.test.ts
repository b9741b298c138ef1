import { stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';
import { requestsOf } from '../../testing/requested.ts';
import { sfDigest } from './index.ts';

afterEach(stopServers);

const ACCOUNT = { SF_EXPRESS_PARTNER_ID: 'partner', SF_EXPRESS_CHECKWORD: 'word' };
const ask = (...questions: { number: string; phone?: string }[]) =>
  requestsOf(
    'sf-express',
    (url) => ({ ...ACCOUNT, PROVIDER_URLS: `sf-express=${url}` }),
    questions.map((question) => ({ ...question, carrier: 'sf-express' })),
  );
const forms = (requested: { body: string }[]) => requested.map(({ body }) => new URLSearchParams(body));

test('the signature is over the text as a form encodes it', () => {
  expect(sfDigest('{"a": "~(1)*"}', '1900000000000', 'wörd 丰')).toBe('1mAMudNZoD7LgSDeJpLsxA==');
  expect(sfDigest('{"trackingNumber":["SF1"]}', '1900000000000', 'word')).toBe('sgFBnO/WIqNL+V6gfoGTPw==');
});

test('a query is a signed form over the exact message sent', async () => {
  const requested = await ask({ number: 'SF7284016359285', phone: '13800134821' });
  expect(requested).toMatchObject([{ path: 'POST /std/service', type: 'application/x-www-form-urlencoded' }]);
  const [form] = forms(requested);
  const text = (name: string) => form?.get(name) ?? '';
  expect(JSON.parse(text('msgData'))).toEqual({
    language: 'zh-CN',
    trackingType: '1',
    trackingNumber: ['SF7284016359285'],
    methodType: '1',
    checkPhoneNo: '4821',
  });
  expect(text('partnerID')).toBe('partner');
  expect(text('serviceCode')).toBe('EXP_RECE_SEARCH_ROUTES');
  expect(text('msgDigest')).toBe(sfDigest(text('msgData'), text('timestamp'), 'word'));
});

test('numbers with the same phone, or without one, share a call', async () => {
  const requested = await ask(
    { number: 'SF1', phone: '4821' },
    { number: 'SF2' },
    { number: 'SF3', phone: '+86 138-0013-4821' },
    { number: 'SF4' },
  );
  const numbers = forms(requested).map((form) => JSON.parse(form.get('msgData') ?? '').trackingNumber);
  expect(numbers).toEqual([
    ['SF1', 'SF3'],
    ['SF2', 'SF4'],
  ]);
});

test('one number per call, unless the operator states that the waybills are their own', () => {
  expect(testProvider('sf-express', ACCOUNT).limits.batchSize).toBe(1);
  expect(testProvider('sf-express', { ...ACCOUNT, PROVIDER_LIMITS: 'sf-express.batch_size=10' }).limits.batchSize).toBe(
    10,
  );
});
