import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { correos } from './index.ts';
import { meaningOf, parseLocator } from './parse.ts';

testFixtures(import.meta.url, correos.parse, 'correos-spain');

const ask = (body: unknown, status = 200) =>
  parseLocator(response(body, status), { number: 'A1', carrier: 'correos-spain' });
const event = (codEvento: string, desTextoResumen: string, more: object = {}) => [
  {
    codEnvio: 'A1',
    error: { codError: '0', desError: 'OK' },
    eventos: [{ codEvento, desTextoResumen, fecEvento: '29/04/2031', horEvento: '13:12:42', ...more }],
  },
];

// biome-ignore format: one event per line is readable as a table
test.each([
  ['A090000V', 'Admitido', 'in_transit'],
  ['P040000V', 'Clasificado', 'in_transit'],
  ['H020000V', 'En reparto', 'out_for_delivery'],
  ['L010000V', 'En oficina', 'available_for_pickup'],
  ['I010000V', 'Entregado', 'delivered'],
  ['H010930R', 'Intento de entrega', 'exception'],
  ['O140000V', 'En proceso de devolución', 'exception'],
  ['Z999999V', 'Entregado', 'delivered'],
  ['Z999999V', 'Prerregistrado', 'info_received'],
  ['Z999999V', 'Algo nuevo', 'in_transit'],
])('the event %s "%s" is %s', (code, text, status) => {
  expect(ask(event(code, text))).toMatchObject({
    scans: [{ status, time: '2031-04-29T11:12:42Z', zoneSource: 'location', description: text }],
  });
});

test('an unknown code has no meaning of its own', () => {
  expect(meaningOf('Z999999V')).toBeUndefined();
});

test('an event without a time is at the beginning of its day', () => {
  expect(ask(event('I010000V', 'Entregado', { horEvento: '' }))).toMatchObject({
    scans: [{ time: '2031-04-28T22:00:00Z' }],
  });
});

test.each([
  [
    200,
    [{ codEnvio: 'A1', error: { codError: '3', desError: 'Sin trazabilidad' }, eventos: null }],
    { kind: 'not_found' },
  ],
  [200, { codEnvio: 'A1', error: { codError: '3' }, eventos: null }, { kind: 'not_found' }],
  [200, [{ codEnvio: 'A1', error: { codError: '9', desError: 'Usuario sin permiso' } }], { failure: 'auth' }],
  [200, [], { failure: 'unreadable' }],
  [401, '', { failure: 'auth' }],
  [429, '', { failure: 'rate_limited' }],
  [500, '<html>', { failure: 'transient' }],
])('HTTP %i %j is %j', (status, body, expected) => {
  expect(ask(body, status)).toMatchObject(expected);
});
