import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { meaningOfEvent, outcomeOf, parseIdships } from './parse.ts';

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

// biome-ignore format: one code per line is readable as a table
test.each([
  ['DR1', 'info_received'], ['PC1', 'in_transit'], ['PC2', 'in_transit'], ['ET1', 'in_transit'], ['ET2', 'in_transit'],
  ['ET3', 'in_transit'], ['ET4', 'in_transit'], ['EP1', 'in_transit'], ['DO1', 'in_transit'], ['DO2', 'in_transit'],
  ['DO3', 'exception'], ['PB1', 'exception'], ['PB2', 'in_transit'], ['MD2', 'in_transit'], ['ND1', 'undeliverable'],
  ['AN1', 'exception'], ['AG1', 'available_for_pickup'], ['RE1', 'exception'], ['DI1', 'delivered'], ['DI2', 'returned'],
])('%s is %s', (code, status) => {
  expect(meaningOfEvent(code, '')?.status).toBe(status);
});

test.each([
  ['MD2', 'Votre colis est en cours de livraison.', 'out_for_delivery'],
  ['MD2', 'Il sera livré aujourd’hui.', 'out_for_delivery'],
  ['MD2', 'Votre colis est dans le site de livraison. Nous allons le mettre en livraison.', 'in_transit'],
  ['XX9', 'Votre colis est disponible dans votre point de retrait.', 'available_for_pickup'],
  ['XX9', 'Votre colis n’a pas pu être livré.', 'exception'],
  ['XX9', 'Votre colis est livré.', 'delivered'],
  ['XX9', 'Votre colis est parti.', undefined],
])('the label of a coarse or unknown code decides: %s, %s is %s', (code, label, status) => {
  expect(meaningOfEvent(code, label)?.status).toBe(status);
});

test('a return and a refusal share a code, and the label distinguishes them', () => {
  expect(meaningOfEvent('RE1', 'Votre colis est retourné à son expéditeur.')?.course).toBe('going_back');
  expect(meaningOfEvent('RE1', 'Votre colis a été refusé par le destinataire.')?.course).toBe('refused');
});

test.each([
  ['404', 'not_found'],
  ['400', 'invalid_number'],
  ['401', 'auth'],
  ['403', 'auth'],
  ['429', 'rate_limited'],
  ['500', 'temporary'],
  ['504', 'temporary'],
])('return code %s is %s', (code, outcome) => {
  expect(outcomeOf(code)).toBe(outcome);
});
