import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { parsePieces } from './parse.ts';

testFixtures(import.meta.url, parsePieces, 'dhl-paket');

const ask = (text: string, ...numbers: string[]) =>
  parsePieces(
    response(text),
    numbers.map((number) => ({ number, carrier: 'dhl-paket' })),
  );

test.each([
  ['03.02.2031 08:12', '2031-02-03T07:12:00Z'],
  ['03.07.2031 08:12', '2031-07-03T06:12:00Z'],
  ['03.07.2031 08:12:31', '2031-07-03T06:12:31Z'],
])('%s in Germany is %s', (timestamp, time) => {
  const event = `<data name="piece-event" event-timestamp="${timestamp}" event-country="Deutschland"/>`;
  const piece = `<data name="piece-shipment" piece-code="A1"><data name="piece-event-list">${event}</data></data>`;
  expect(ask(`<data code="0">${piece}</data>`, 'A1')).toMatchObject([{ scans: [{ time, zoneSource: 'location' }] }]);
});

const piece = (attributes: string, events = '', name = 'piece-status-public') =>
  `<data><data name="x-list" code="0"><data name="${name}" piece-code="A1" ${attributes}>${events}</data></data></data>`;

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
