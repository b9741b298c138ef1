import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { parsePieces } from './parse.ts';

testFixtures(import.meta.url, parsePieces, 'dhl-paket');

const ask = (text: string, ...numbers: string[]) =>
  parsePieces(
    response(text),
    numbers.map((number) => ({ number, carrier: 'dhl-paket' })),
  );

test('the estimate is the local day of delivery', () => {
  const [answer] = ask(readFixture(import.meta.url, 'batch.xml'), '00340434918273645018', 'X1');
  expect(answer).toMatchObject({ estimatedDelivery: { from: '2031-02-04', to: '2031-02-04' } });
});

test.each([
  ['03.02.2031 08:12', '2031-02-03T07:12:00Z'],
  ['03.07.2031 08:12', '2031-07-03T06:12:00Z'],
  ['03.07.2031 08:12:31', '2031-07-03T06:12:31Z'],
])('%s in Germany is %s', (timestamp, time) => {
  const event = `<data name="piece-event" event-timestamp="${timestamp}" event-country="Deutschland"/>`;
  const piece = `<data name="piece-shipment" piece-code="A1"><data name="piece-event-list">${event}</data></data>`;
  expect(ask(`<data code="0">${piece}</data>`, 'A1')).toMatchObject([{ scans: [{ time, zoneSource: 'location' }] }]);
});

test.each(['<data/>', '<other/>', '<data code="0"><data name="piece-shipment-list"/></data>'])(
  '%s is unreadable',
  (text) => {
    expect(ask(text, 'A1')).toMatchObject([{ failure: 'unreadable' }]);
  },
);

const piece = (attributes: string, events = '', name = 'piece-status-public') =>
  `<data><data name="x-list" code="0"><data name="${name}" piece-code="A1" ${attributes}>${events}</data></data></data>`;

test.each(['piece-shipment', 'pieceshipment', 'piece-status-public'])('a %s has events without a list, too', (name) => {
  const event = '<data name="pieceevent" event-timestamp="2031-07-03T06:12:00Z" standard-event-code="PO"/>';
  expect(ask(piece('delivery-event-flag="0"', event, name), 'A1')).toMatchObject([
    { scans: [{ time: '2031-07-03T06:12:00Z', status: 'out_for_delivery' }] },
  ]);
});

test.each(['status-timestamp', 'last-event-timestamp'])('a piece without events has its newest (%s) itself', (time) => {
  const attributes = `status="In Zustellung" ${time}="03.07.2031 08:12" ice="SRTED" event-location="Birkenau"`;
  expect(ask(piece(attributes), 'A1')).toMatchObject([
    {
      scans: [
        {
          time: '2031-07-03T06:12:00Z',
          status: 'out_for_delivery',
          location: 'Birkenau',
          description: 'In Zustellung',
        },
      ],
    },
  ]);
});

test('the error of a piece is that of its own status', () => {
  expect(ask(piece('piece-status="5" piece-status-desc="Log-in failed"'), 'A1')).toMatchObject([{ failure: 'auth' }]);
  expect(ask(piece('piece-status="100" piece-status-desc="?"'), 'A1')).toEqual([{ kind: 'not_found' }]);
  expect(ask('<data name="piece-status-public-list" code="200"/>', 'A1')).toEqual([{ kind: 'not_found' }]);
  expect(ask('<data name="piece-status-public-list" code="41"/>', 'A1')).toMatchObject([{ failure: 'invalid_number' }]);
});
