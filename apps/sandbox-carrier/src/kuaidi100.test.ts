import { rememberInMemory } from './first-requests.ts';
import { createSubscriptions } from './kuaidi100.ts';

type Param = {
  status: string;
  comOld: string;
  comNew: string;
  lastResult: { nu: string; com: string; state: string; data: { context: string }[] };
};

function subscribed(number: string, more: { phone?: string; accepts?: () => boolean } = {}) {
  const { accepts = () => true, ...request } = more;
  let at = Date.parse('2031-06-01T00:00:00Z');
  const sent: Param[] = [];
  const subscriptions = createSubscriptions({
    speed: 1,
    now: () => new Date(at),
    state: rememberInMemory(),
    send: async (_to, param) => {
      sent.push(param as Param);
      return accepts();
    },
  });
  const add = () =>
    subscriptions.add({ number, company: 'yuantong', callbackUrl: 'https://api.example/cb', ...request });
  const isNew = add();
  return {
    sent,
    isNew,
    add,
    subscriptions,
    pass: async (seconds: number) => {
      at += seconds * 1000;
      await subscriptions.tick();
    },
  };
}

test('each new scan has one callback, with the whole history, and the delivery ends it', async () => {
  const { sent, pass, add } = subscribed('SBXEXPRESS1');
  for (let second = 0; second <= 30; second++) await pass(second === 0 ? 0 : 1);
  expect(sent.map(({ status, lastResult }) => [status, lastResult.data.length])).toEqual([
    ['polling', 1],
    ['polling', 2],
    ['polling', 3],
    ['shutdown', 4],
  ]);
  expect(add()).toBe(true);
});

test('a number is subscribed to once', () => {
  const { isNew, add } = subscribed('SBXORDINARY1');
  expect([isNew, add()]).toEqual([true, false]);
});

test('a callback that is not accepted is repeated half an hour later, and not forever', async () => {
  const { sent, pass } = subscribed('SBXEXPRESS1', { accepts: () => false });
  for (let minute = 0; minute < 200; minute++) await pass(60);
  expect(sent).toHaveLength(4);
});

test('there is no callback while there is no news, or a phone number is missing', async () => {
  for (const number of ['SBXNOTFOUND1', 'SBXPHONE1', 'SBXINVALID1']) {
    const { sent, pass } = subscribed(number);
    await pass(100);
    expect(sent).toEqual([]);
  }
  const { sent, pass } = subscribed('SBXPHONE1', { phone: '5678' });
  await pass(1);
  expect(sent).toHaveLength(1);
});

test('lost callbacks are not sent', async () => {
  const { sent, pass } = subscribed('SBXPUSHLOST1');
  for (let second = 0; second <= 60; second++) await pass(1);
  expect(sent.map(({ lastResult }) => lastResult.data.length)).toEqual([1, 2, 3]);
});

test('the first callback is not lost, however late it comes', async () => {
  const { sent, pass } = subscribed('SBXPUSHLOST2');
  await pass(20);
  for (let second = 0; second <= 60; second++) await pass(1);
  expect(sent.map(({ lastResult }) => lastResult.data.length)).toEqual([4]);
});

test('an abandoned subscription ends, and the next one lasts', async () => {
  const { sent, pass, add } = subscribed('SBXPUSHABORT1');
  await pass(5);
  await pass(10);
  expect(sent.map(({ status }) => status)).toEqual(['polling', 'abort']);
  expect(add()).toBe(true);
  await pass(40);
  expect(sent.at(-1)?.status).toBe('shutdown');
});

test('a corrected company is reported once, and later callbacks name it', async () => {
  const { sent, pass } = subscribed('SBXPUSHMOVED1');
  await pass(5);
  await pass(10);
  await pass(5);
  expect(sent.map(({ status, comNew, lastResult }) => [status, comNew, lastResult.com])).toEqual([
    ['polling', '', 'yuantong'],
    ['abort', 'zhongtong', 'zhongtong'],
    ['polling', '', 'zhongtong'],
  ]);
});

test('a closing sandbox sends no more callbacks', async () => {
  const { sent, pass, subscriptions } = subscribed('SBXEXPRESS1');
  subscriptions.close();
  await pass(30);
  expect(sent).toEqual([]);
});
