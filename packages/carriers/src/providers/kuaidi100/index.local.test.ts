import { createHash } from 'node:crypto';
import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';
import { kuaidi100Client } from './index.ts';

afterEach(stopServers);

const found = {
  status: '200',
  state: '0',
  data: [{ time: '2031-05-01 08:00:00', context: '到达柏州', location: null }],
};

async function recorded(answer: unknown = found, status = 200) {
  const { baseUrl, requested } = await recordingServer({ status, body: JSON.stringify(answer) });
  const provider = kuaidi100Client({ baseUrl: `${baseUrl}/`, customer: 'CUST7', key: 'k-secret', timeoutMs: 30_000 });
  return { provider, requested };
}

test('a query is a signed form over the exact param sent', async () => {
  const { requested, provider } = await recorded();
  const [answer] = await provider.ask([
    { number: 'SF7284016359285', carrier: 'sf-express', phone: '(0571) 8888-4821' },
  ]);
  expect(answer?.kind).toBe('found');
  expect(requested).toMatchObject([{ path: 'POST /poll/query.do', type: 'application/x-www-form-urlencoded' }]);
  const form = new URLSearchParams(requested[0]?.body);
  const param = form.get('param') ?? '';
  expect(JSON.parse(param)).toEqual({
    com: 'shunfeng',
    num: 'SF7284016359285',
    phone: '4821',
    resultv2: '4',
    show: '0',
    order: 'desc',
  });
  expect(form.get('customer')).toBe('CUST7');
  expect(form.get('sign')).toBe(createHash('md5').update(`${param}k-secretCUST7`).digest('hex').toUpperCase());
});

test('a missing phone number does not prevent the query', async () => {
  const { requested, provider } = await recorded();
  await provider.ask([{ number: '75283940617254', carrier: 'zto' }]);
  expect(JSON.parse(new URLSearchParams(requested[0]?.body).get('param') ?? '')).not.toHaveProperty('phone');
});

test('it answers in the order of the queries', async () => {
  const { provider } = await recorded({ result: false, returnCode: '500', message: '暂无结果' });
  const questions = ['YT6140382715904', 'YT6140382715905'].map((number) => ({ number, carrier: 'yto' }));
  expect(await provider.ask(questions)).toEqual([{ kind: 'not_found' }, { kind: 'not_found' }]);
});

test('a server in trouble is a transient failure, not an exception', async () => {
  const { provider } = await recorded('oops', 502);
  expect(await provider.ask([{ number: 'YT6140382715904', carrier: 'yto' }])).toMatchObject([
    { kind: 'failed', failure: 'transient' },
  ]);
});

const ACCOUNT = { KUAIDI100_CUSTOMER: 'c', KUAIDI100_KEY: 'k' };

test('it serves only the carriers that it has a code for', async () => {
  const provider = testProvider('kuaidi100', ACCOUNT);
  expect(provider.serves('yto')).toBe(true);
  expect(provider.serves('amazon')).toBe(false);
  expect(provider.serves('sandbox')).toBe(false);
  expect(await provider.ask([{ number: 'TBA284017365928', carrier: 'amazon' }])).toMatchObject([
    { kind: 'failed', failure: 'unreadable', message: expect.stringMatching(/does not serve amazon/) },
  ]);
});

test('one number per call, and half an hour between two queries of it', () => {
  expect(testProvider('kuaidi100', ACCOUNT).limits).toMatchObject({ batchSize: 1, floorSeconds: 1800 });
});

test('an invalid base address is refused at once', () => {
  expect(() => kuaidi100Client({ baseUrl: 'poll.example', customer: 'c', key: 'k' })).toThrow('Invalid URL');
});

test('it requires a phone number for the carriers that answer only with one', () => {
  const provider = testProvider('kuaidi100', ACCOUNT);
  expect([provider.requires?.('sf-express'), provider.requires?.('yto')]).toEqual([['phone'], []]);
});

test('a subscription is a form with the key, the address for callbacks and the salt', async () => {
  const { requested, provider } = await recorded({ result: true, returnCode: '200', message: '提交成功' });
  const question = { number: 'SF7284016359285', carrier: 'sf-express', phone: '13800134821' };
  const callback = { url: 'https://api.example/callbacks/kuaidi100/token', salt: 'salt' };
  expect(await provider.subscribe?.([question], callback)).toEqual([{ kind: 'subscribed' }]);
  expect(requested).toMatchObject([{ path: 'POST /poll', type: 'application/x-www-form-urlencoded' }]);
  const form = new URLSearchParams(requested[0]?.body);
  expect(form.get('schema')).toBe('json');
  expect(JSON.parse(form.get('param') ?? '')).toEqual({
    company: 'shunfeng',
    number: 'SF7284016359285',
    key: 'k-secret',
    parameters: { callbackurl: callback.url, salt: 'salt', resultv2: '4', autoCom: '1', phone: '4821' },
  });
});
