import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { parseTrack } from './parse.ts';

testFixtures(import.meta.url, parseTrack, 'australia-post');

test('the articles of a consignment are its pieces', () => {
  const requested = [{ number: 'CONS4471', carrier: 'australia-post' }];
  const [answer] = parseTrack(response(readFixture(import.meta.url, 'batch.json')), [
    ...requested,
    { number: 'KXB7310482', carrier: 'australia-post' },
  ]);
  expect(answer).toMatchObject({ pieces: { total: 2, delivered: 1 } });
});

test('events of a StarTrack consignment count if its articles have none', () => {
  const event = (description: string, date: string) => ({ location: 'WATTLE GROVE VIC', description, date });
  const consignment = { events: [event('Awaiting collection', '2031-08-08T12:51:22+10:00')], status: 'In Transit' };
  const results = (events: unknown[]) => ({
    tracking_results: [{ tracking_id: 'A1', consignment, trackable_items: [{ article_id: 'A1X', events }] }],
  });
  const ask = (events: unknown[]) =>
    parseTrack(response(results(events)), [{ number: 'A1', carrier: 'australia-post' }])[0];
  expect(ask([])).toMatchObject({ scans: [{ status: 'available_for_pickup' }] });
  expect(ask([event('Delivered', '2031-08-09T12:51:22+10:00')])).toMatchObject({ scans: [{ status: 'delivered' }] });
});
