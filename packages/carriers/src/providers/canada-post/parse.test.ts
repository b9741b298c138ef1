import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { meaningOfEvent, offsetOf, outcomeOfMessage, parseDetail } from './parse.ts';

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

const EVENTS: Record<string, string> = {
  in_transit: '100 101 102 103 104 105 106 107 1400 1401 1402 1403 1404 1405 159 160 161 162 163 172 173 2412',
  out_for_delivery: '174 500',
  available_for_pickup: '118 156 1407 1410 1435 1436 1437 1438 1479 1488 1701 2410',
  delivered:
    '1408 1409 1421 1422 1423 1424 1425 1426 1427 1428 1429 1430 1431 1432 1433 1434 1441 1442 1496 1497 1498 1499',
  exception:
    '117 120 121 125 127 810 1411 1414 1443 1484 1487 1494 2411 2414 4700 150 154 167 168 ' +
    '169 179 181 182 183 184 190 1100 1415 1416 1417 1418 1419 1420 1450 1481 1482 1483 1491 1492 1493 2600 2802 3001 4650',
};

test.each(Object.entries(EVENTS).flatMap(([status, codes]) => codes.split(' ').map((code) => [code, status])))(
  '%s is %s, with leading zeros too',
  (code, status) => {
    expect(meaningOfEvent(code, '')).toMatchObject({ status });
    expect(meaningOfEvent(`0${code}`, '')).toMatchObject({ status });
  },
);

test.each(['20', '21'])('%s, the image of a signature, only informs', (code) => {
  expect(meaningOfEvent(code, 'Signature image recorded')).toBe('informational');
});

test('the text of an exception says whether the item is returning, and that of an unknown code its status', () => {
  expect(meaningOfEvent('150', '')).toMatchObject({ course: 'refused' });
  expect(meaningOfEvent('1450', 'Item is being returned to sender')).toMatchObject({ course: 'going_back' });
  expect(meaningOfEvent('9999', 'Item out for delivery')).toMatchObject({ status: 'out_for_delivery' });
  expect(meaningOfEvent('9999', 'Item processed')).toBeUndefined();
});

test.each([
  ['NST', '-03:30'],
  ['NDT', '-02:30'],
  ['AST', '-04:00'],
  ['ADT', '-03:00'],
  ['EST', '-05:00'],
  ['edt ', '-04:00'],
  ['CST', '-06:00'],
  ['CDT', '-05:00'],
  ['MST', '-07:00'],
  ['MDT', '-06:00'],
  ['PST', '-08:00'],
  ['PDT', '-07:00'],
  ['GMT', 'Z'],
  ['ISRAEL', undefined],
  ['', undefined],
])('%j is %s', (abbreviation, offset) => {
  expect(offsetOf(abbreviation)).toBe(offset);
});

test('for an unknown error, its HTTP status decides', () => {
  for (const text of ['7777 Something new', '7777 Information is missing'])
    expect(outcomeOfMessage(text)).toBeUndefined();
});
