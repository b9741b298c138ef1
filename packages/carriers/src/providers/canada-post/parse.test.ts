import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { parseDetail } from './parse.ts';

testFixtures(import.meta.url, parseDetail, 'canada-post');

const ask = (text: string, status = 200) =>
  parseDetail(response(text, status), [{ number: '7301938264501837', carrier: 'canada-post' }])[0];

test('a scan keeps its time with the abbreviation, and records the source of its zone', () => {
  const answer = ask(readFixture(import.meta.url, 'delivered.xml'));
  expect(answer?.kind === 'found' && answer.scans[0]).toMatchObject({
    timeRaw: '2031-02-03 14:00:05 PST',
    zoneSource: 'carrier',
  });
  expect(answer).toMatchObject({ estimatedDelivery: { from: '2031-02-03', to: '2031-02-03' } });
  const abroad = parseDetail(response(readFixture(import.meta.url, 'abroad.xml')), [
    { number: 'LM318204765CA', carrier: 'canada-post' },
  ])[0];
  expect(abroad?.kind === 'found' && abroad.scans.map(({ zoneSource }) => zoneSource)).toEqual([
    'location',
    'location',
    'location',
  ]);
});

test('a wrapper around the details does not matter', () => {
  const text = readFixture(import.meta.url, 'delivered.xml').replace(/^<\?xml.*\?>/, '');
  expect(ask(`<wrapper>${text}</wrapper>`)).toEqual(ask(text));
});

test.each([
  ['004', 'No Pin History', { kind: 'not_found' }],
  ['404', 'No such resource', { kind: 'not_found' }],
  ['E002', 'AAA Authentication Failure', { failure: 'auth' }],
])('the message %s %s is understood, in a wrapper too', (code, description, answer) => {
  const text = `<messages><message><code>${code}</code><description>${description}</description></message></messages>`;
  expect(ask(text, 404)).toMatchObject(answer);
  expect(ask(`<wrapper>${text}</wrapper>`)).toMatchObject(answer);
});

test('an unknown error, or one that is not XML, is classified by its HTTP status', () => {
  expect(ask('<messages><message><code>7</code><description>?</description></message></messages>', 429)).toMatchObject({
    failure: 'rate_limited',
  });
  expect(ask('<html>', 503)).toMatchObject({ failure: 'transient' });
  expect(ask('<other/>')).toMatchObject({ failure: 'unreadable' });
});
