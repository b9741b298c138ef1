import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { parseIdships } from './parse.ts';

testFixtures(import.meta.url, parseIdships, 'colissimo');

const ask = (text: string, ...numbers: string[]) =>
  parseIdships(
    response(text),
    numbers.map((number) => ({ number, carrier: 'colissimo' })),
  );

test('a scan keeps the time as it was written, with its offset, and the estimate is the day that the carrier names', () => {
  const [answer] = ask(readFixture(import.meta.url, 'delivered.json'), '6A40718236509');
  if (answer?.kind !== 'found') throw new Error('found');
  expect(answer.scans[0]).toMatchObject({ timeRaw: '2031-03-11T11:20:00+01:00', zoneSource: 'carrier' });
  expect(answer.estimatedDelivery).toEqual({ from: '2031-03-12', to: '2031-03-12' });
});

test('a list of one is read as an object, and a refusal without a number is about the requested number', () => {
  const text = readFixture(import.meta.url, 'delivered.json');
  expect(ask(`[${text}]`, '6A40718236509')).toEqual(ask(text, '6A40718236509'));
  expect(ask('{"returnCode":"404","returnMessage":"?"}', 'A1')).toEqual([{ kind: 'not_found' }]);
  expect(ask('{"code":"UNAUTHORIZED","message":"?"}', 'A1')).toMatchObject([{ failure: 'auth' }]);
});

test.each(['[]', '7', '{"returnCode":200}', '{"shipment":{"idShip":"A1"}}'])('%s is not a history', (text) => {
  expect(ask(text, 'A1')).toMatchObject([{ kind: 'failed' }]);
});

test('a shipment without a code is read if it has events', () => {
  const event = { code: 'DI1', label: 'Votre colis est livré.', date: '2031-04-22T14:30:00' };
  expect(ask(JSON.stringify({ shipment: { idShip: 'A1', event: [event] } }), 'A1')).toMatchObject([
    { scans: [{ time: '2031-04-22T12:30:00Z', status: 'delivered' }] },
  ]);
});
