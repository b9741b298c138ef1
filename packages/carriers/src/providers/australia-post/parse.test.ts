import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { parseTrack } from './parse.ts';

testFixtures(import.meta.url, parseTrack, 'australia-post');

test('the articles of a consignment are its pieces', () => {
  const asked = [{ number: 'CONS4471', carrier: 'australia-post' }];
  const [answer] = parseTrack(response(readFixture(import.meta.url, 'batch.json')), [
    ...asked,
    { number: 'KXB7310482', carrier: 'australia-post' },
  ]);
  expect(answer).toMatchObject({ pieces: { total: 2, delivered: 1 } });
});

test('an answer that names another article is passed on with its number', () => {
  const [answer] = parseTrack(response(readFixture(import.meta.url, 'state_decides.json')), [
    { number: 'KXB7310000', carrier: 'australia-post' },
  ]);
  expect(answer).toMatchObject({ kind: 'found', otherNumber: 'KXB7310999' });
});

test.each([
  ['no results', '{"ok":true}'],
  [
    'an event without a time',
    '{"tracking_results":[{"tracking_id":"A1","trackable_items":[{"events":[{"date":"soon"}]}]}]}',
  ],
])('%s is unreadable', (_, text) => {
  expect(parseTrack(response(text), [{ number: 'A1', carrier: 'australia-post' }])).toMatchObject([
    { failure: 'unreadable' },
  ]);
});
