import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { type EventCodes, meaningOfEvent, meaningOfPiece, outcomeOfError, parsePieces } from './parse.ts';

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

const codes = (ice: string, more: Partial<EventCodes> = {}): EventCodes => ({
  ice,
  ric: 'OTHER',
  standard: '',
  isReturn: false,
  ...more,
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['SHRCU', 'in_transit'],
  ['PCKDU', 'in_transit'],
  ['LDTMV', 'in_transit'],
  ['ULFMV', 'in_transit'],
  ['SRTED', 'in_transit'],
  ['DLVRD', 'delivered'],
  ['NDELV', 'exception'],
  ['NTDEL', 'exception'],
  ['DLVRF', 'exception'],
  ['DMGDS', 'exception'],
  ['RETRN', 'exception'],
  ['HLDCC', 'available_for_pickup'],
  ['PARCV', 'info_received'],
])('ice %s is %s', (ice, status) => {
  expect(meaningOfEvent(codes(ice), '')?.status).toBe(status);
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['VA', 'info_received'],
  ['ZN', 'exception'],
  ['ZF', 'available_for_pickup'],
  ['ES', 'in_transit'],
  ['AE', 'in_transit'],
  ['AA', 'in_transit'],
  ['EE', 'in_transit'],
  ['PO', 'out_for_delivery'],
  ['ZU', 'delivered'],
])('the standard code %s is %s', (standard, status) => {
  expect(meaningOfEvent(codes('', { standard }), '')?.status).toBe(status);
});

// biome-ignore format: one event per line is readable as a table
test.each([
  ['SRTED', 'OTHER', 'Die Sendung wurde in das Zustellfahrzeug geladen.', 'out_for_delivery'],
  ['SRTED', 'OTHER', 'The shipment has been loaded onto the delivery vehicle', 'out_for_delivery'],
  ['SRTED', 'OTHER', 'Die Sendung wurde sortiert.', 'in_transit'],
  ['DLVRD', 'OTHER', 'Die Sendung wurde dem Zoll übergeben.', 'in_transit'],
  ['DLVRD', 'OTHER', 'The shipment was handed over to customs', 'in_transit'],
  ['DLVRD', 'PCKST', '', 'available_for_pickup'],
  ['DLVRD', 'PKBOX', '', 'available_for_pickup'],
  ['DLVRD', 'SERPT', '', 'available_for_pickup'],
  ['DLVRD', 'PKBOX', 'Der Empfänger hat die Sendung aus der PACKSTATION abgeholt.', 'delivered'],
  ['DLVRD', 'SERPT', 'The recipient has picked up the shipment from the retail outlet', 'delivered'],
  ['DLVRD', 'OTHER', 'Die Sendung liegt in der Filiale zur Abholung bereit.', 'available_for_pickup'],
  ['DLVRD', 'OTHER', 'Die Sendung wurde zugestellt.', 'delivered'],
  ['ULFMV', 'OTHER', 'Die Sendung konnte nicht zugestellt werden.', 'exception'],
  ['NEWCO', 'OTHER', 'Die Sendung wurde bearbeitet.', undefined],
])('%s, %s, "%s" is %s', (ice, ric, text, status) => {
  expect(meaningOfEvent(codes(ice, { ric }), text)?.status).toBe(status);
});

test('a parcel on its way back is returning, and is returned when it is delivered', () => {
  expect(meaningOfEvent(codes('ULFMV', { isReturn: true }), '')?.course).toBe('going_back');
  expect(meaningOfEvent(codes('DLVRD', { isReturn: true }), '')).toEqual({ status: 'returned' });
  expect(meaningOfPiece(true, codes('DLVRD', { isReturn: true }))).toEqual({ status: 'returned' });
});

test('a piece is delivered when its flag says so, not by its code alone', () => {
  expect(meaningOfPiece(true, codes('DLVRD'))).toEqual({ status: 'delivered' });
  expect(meaningOfPiece(false, codes('DLVRD'))).toBeUndefined();
  expect(meaningOfPiece(false, codes('ULFMV'))).toEqual({ status: 'in_transit' });
});

test.each([
  ['100 Keine Daten gefunden', 'not_found'],
  ['0 Zu dieser Sendung liegen keine Informationen vor', 'not_found'],
  ['5 Login failed', 'auth'],
  ['7 Ungültige Sendungsnummer', 'invalid_number'],
  ['8 Too many requests', 'rate_limited'],
  ['9 Etwas anderes', 'temporary'],
  ['9 Information is being generated', 'temporary'],
])('the error "%s" is %s', (error, outcome) => {
  expect(outcomeOfError(error)).toBe(outcome);
});
