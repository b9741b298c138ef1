import { createOutageLog } from './outage-log.ts';

let now = 0;
let said: string[] = [];
beforeEach(() => {
  [now, said] = [0, []];
});
const outages = () =>
  createOutageLog({ onError: (error) => said.push(error.message), onInfo: (text) => said.push(text) }, () => now);

test('an outage is logged once, then once a minute with a count, and so is its end', () => {
  const store = outages();
  for (; now < 125_000; now += 1000) store.error(new Error('away'));
  expect(said).toEqual(['away', 'away (and 59 more errors since)', 'away (and 59 more errors since)']);
  now += 5000;
  store.worked();
  store.worked();
  expect(said.slice(3)).toEqual(['the store answers again, after 125 errors']);
});

test('a success between errors does not end the outage', () => {
  const store = outages();
  for (; now < 10_000; now += 500) {
    store.error(new Error('away'));
    store.worked();
  }
  expect(said).toEqual(['away']);
});

test('the next outage is logged at once', () => {
  const store = outages();
  store.error(new Error('away'));
  now = 5000;
  store.worked();
  store.error(new Error('away again'));
  expect(said).toEqual(['away', 'the store answers again, after 1 error', 'away again']);
});
