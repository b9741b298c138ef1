import { rememberInMemory } from '../first-requests.ts';
import { createSubscriptions } from './subscriptions.ts';

type Param = {
  status: string;
  comOld: string;
  comNew: string;
  lastResult: { nu: string; com: string; state: string; data: { context: string }[] };
};

function subscribed(number: string, more: { phone?: string; accepts?: () => boolean } = {}) {
  const { accepts = () => true, ...request } = more;
  let at = Date.parse('2031-06-01T00:00:00Z');
  const pushed: Param[] = [];
  const subscriptions = createSubscriptions({
    speed: 1,
    now: () => new Date(at),
    state: rememberInMemory(),
    send: async (_to, param) => {
      pushed.push(param as Param);
      return accepts();
    },
  });
  const add = () =>
    subscriptions.add({ number, company: 'yuantong', callbackUrl: 'https://api.example/cb', ...request });
  const isNew = add();
  return {
    pushed,
    isNew,
    add,
    subscriptions,
    pass: async (seconds: number) => {
      at += seconds * 1000;
      await subscriptions.tick();
    },
  };
}

test('each new scan is pushed once, with the whole history, and the delivery ends it', async () => {
  const { pushed, pass, add } = subscribed('SBXEXPRESS1');
  for (let second = 0; second <= 30; second++) await pass(second === 0 ? 0 : 1);
  expect(pushed.map(({ status, lastResult }) => [status, lastResult.data.length])).toEqual([
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

test('a push that is not accepted is repeated half an hour later, and not forever', async () => {
  const { pushed, pass } = subscribed('SBXEXPRESS1', { accepts: () => false });
  for (let minute = 0; minute < 200; minute++) await pass(60);
  expect(pushed).toHaveLength(4);
});

test('nothing is pushed while there is no news, or a phone number is missing', async () => {
  for (const number of ['SBXNOTFOUND1', 'SBXPHONE1', 'SBXINVALID1']) {
    const { pushed, pass } = subscribed(number);
    await pass(100);
    expect(pushed).toEqual([]);
  }
  const { pushed, pass } = subscribed('SBXPHONE1', { phone: '5678' });
  await pass(1);
  expect(pushed).toHaveLength(1);
});

test('lost pushes are not sent', async () => {
  const { pushed, pass } = subscribed('SBXPUSHLOST1');
  for (let second = 0; second <= 60; second++) await pass(1);
  expect(pushed.map(({ lastResult }) => lastResult.data.length)).toEqual([1, 2, 3]);
});

test('the first push is not lost, however late it comes', async () => {
  const { pushed, pass } = subscribed('SBXPUSHLOST2');
  await pass(20);
  for (let second = 0; second <= 60; second++) await pass(1);
  expect(pushed.map(({ lastResult }) => lastResult.data.length)).toEqual([4]);
});

test('an abandoned subscription ends, and the next one lasts', async () => {
  const { pushed, pass, add } = subscribed('SBXPUSHABORT1');
  await pass(5);
  await pass(10);
  expect(pushed.map(({ status }) => status)).toEqual(['polling', 'abort']);
  expect(add()).toBe(true);
  await pass(40);
  expect(pushed.at(-1)?.status).toBe('shutdown');
});

test('a corrected company is reported once, and later pushes name it', async () => {
  const { pushed, pass } = subscribed('SBXPUSHMOVED1');
  await pass(5);
  await pass(10);
  await pass(5);
  expect(pushed.map(({ status, comNew, lastResult }) => [status, comNew, lastResult.com])).toEqual([
    ['polling', '', 'yuantong'],
    ['abort', 'zhongtong', 'zhongtong'],
    ['polling', '', 'zhongtong'],
  ]);
});

test('a closing sandbox pushes nothing more', async () => {
  const { pushed, pass, subscriptions } = subscribed('SBXEXPRESS1');
  subscriptions.close();
  await pass(30);
  expect(pushed).toEqual([]);
});
