import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { meaningOfEvent, outcomeOf, parseObjetos } from './parse.ts';

testFixtures(import.meta.url, parseObjetos, 'correios-brazil');

const ask = (body: unknown, status = 200, numbers = ['A1']) =>
  parseObjetos(
    response(body, status),
    numbers.map((number) => ({ number, carrier: 'correios-brazil' })),
  );

// biome-ignore format: one event per line is readable as a table
test.each([
  ['PO', '01', 'Objeto postado', { status: 'in_transit' }],
  ['RO', '01', 'Objeto em trânsito - por favor aguarde', { status: 'in_transit' }],
  ['OEC', '01', 'Objeto saiu para entrega ao destinatário', { status: 'out_for_delivery' }],
  ['LDI', '01', 'Objeto aguardando retirada no endereço indicado', { status: 'available_for_pickup' }],
  ['BDE', '01', 'Objeto entregue ao destinatário', { status: 'delivered' }],
  ['BDI', '00', 'Objeto entregue ao destinatário', { status: 'delivered' }],
  ['BDE', '20', 'Carteiro não atendido', { status: 'exception' }],
  ['BDE', '04', 'Objeto não entregue - cliente recusou-se a receber', { status: 'exception' }],
  ['BDE', '23', 'Objeto devolvido ao remetente', { status: 'returned' }],
  ['ZZZ', '01', 'Objeto entregue ao destinatário', { status: 'delivered' }],
])('%s %s "%s" is %j', (code, type, text, expected) => {
  expect(meaningOfEvent(code, type, text)).toMatchObject(expected);
});

test('what goes out for delivery to the sender is on its way back', () => {
  const evento = {
    codigo: 'OEC',
    tipo: '01',
    descricao: 'Objeto saiu para entrega ao remetente',
    dtHrCriado: '2031-03-11T17:03:00',
  };
  expect(ask({ objetos: [{ codObjeto: 'A1', eventos: [evento] }] })).toMatchObject([
    { scans: [{ status: 'exception', course: 'going_back', time: '2031-03-11T20:03:00Z', zoneSource: 'default' }] },
  ]);
});

test('the forecast is a day until the delivery', () => {
  const text = readFixture(import.meta.url, 'batch.json');
  const answers = ask(text, 200, ['DG049186204BR', 'DG049186218BR']);
  expect(answers[0]).not.toHaveProperty('estimatedDelivery');
  expect(answers[1]).toMatchObject({ estimatedDelivery: { from: '2031-03-14', to: '2031-03-14' } });
});

test.each([
  ['SRO-020: Objeto não encontrado na base de dados dos Correios.', 'not_found'],
  ['SRO-019: Objeto inválido', 'invalid_number'],
  ['Token inválido ou expirado', 'auth'],
  ['Serviço indisponível', 'temporary'],
  ['', 'unreadable'],
])('the message "%s" is %s', (message, outcome) => {
  expect(outcomeOf(message)).toBe(outcome);
});

test.each([
  [400, { msgs: ['SRO-019: Objeto inválido'] }, { failure: 'temporary', isOfOne: true }],
  [401, {}, { failure: 'auth' }],
  [403, { msgs: ['Token inválido'] }, { failure: 'auth' }],
  [429, {}, { failure: 'rate_limited' }],
  [503, {}, { failure: 'transient' }],
  [200, {}, { failure: 'unreadable' }],
])('HTTP %i %j is %j for all numbers of a call', (status, body, expected) => {
  expect(ask(body, status, ['A1', 'B2'])).toMatchObject([expected, expected]);
});
