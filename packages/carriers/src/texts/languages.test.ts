import { meaningOfText } from './reader.ts';

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Die Sendung wurde elektronisch angekündigt.', 'info_received'],
  ['Die Sendung wurde im Start-Paketzentrum bearbeitet.', undefined],
  ['Die Sendung wird voraussichtlich morgen zugestellt.', 'in_transit'],
  ['Die Sendung wird für die Verladung ins Zustellfahrzeug vorbereitet.', 'in_transit'],
  ['Die Sendung wurde in das Zustellfahrzeug geladen.', 'out_for_delivery'],
  ['Die Sendung liegt in der Filiale zur Abholung bereit.', 'available_for_pickup'],
  ['Die Sendung wurde in die Packstation eingestellt.', 'available_for_pickup'],
  ['Die Sendung wurde zugestellt.', 'delivered'],
  ['Die Sendung wurde einem Nachbarn ausgehändigt.', 'delivered'],
  ['Die Sendung konnte nicht zugestellt werden.', 'exception'],
  ['Zustellung nicht möglich', 'exception'],
  ['Die Sendung wurde zur Nachverpackung in das Paketzentrum zurückgesandt.', 'exception'],
  ['Die Sendungsdaten wurden elektronisch übermittelt.', 'info_received'],
  ['Die Sendung wurde in die PACKSTATION eingeliefert.', 'available_for_pickup'],
  ['Die Sendung wurde vom Absender in die PACKSTATION eingeliefert.', undefined],
  ['Die Sendung wurde dem Absender zugestellt.', 'returned'],
  ['Die Sendung wird zur Abholung in die Filiale gebracht.', 'in_transit'],
  ['Die Sendung wird für den Transport zur Filiale vorbereitet.', 'in_transit'],
  ['Empfänger nicht angetroffen. Die Sendung wird zur Abholung in die Filiale gebracht.', 'exception'],
  ['Sie liegt in der Filiale zur Abholung bereit und wird nach 7 Tagen zurückgeschickt.', 'available_for_pickup'],
])('%s is %s', (text, status) => {
  expect(meaningOfText(text)?.status).toBe(status);
});

test('a refusal and a return have a course', () => {
  expect(meaningOfText('Der Empfänger hat die Annahme verweigert.')?.course).toBe('refused');
  expect(meaningOfText('Die Sendung wird an den Absender zurückgesandt.')?.course).toBe('going_back');
});

test('a parcel that is sent back for repacking is not returning to its sender', () => {
  const text = 'Die Sendung wurde zur Nachverpackung in das Paketzentrum zurückgesandt.';
  expect(meaningOfText(text)).toEqual({ status: 'exception', problem: 'damaged' });
});
