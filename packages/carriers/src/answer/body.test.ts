import { response } from '../testing/answers.ts';
import { jsonBody, xmlBody } from './body.ts';

test('an answer is read with the statuses that are answers', () => {
  expect(jsonBody(response('{"a":1}', 404), 'ACME', [200, 404])).toEqual({ kind: 'body', body: { a: 1 }, status: 404 });
  expect(jsonBody(response('{"a":1}', 404), 'ACME')).toMatchObject({ failure: 'transient' });
  expect(xmlBody(response('<a>1</a>'), 'ACME')).toMatchObject({ kind: 'body', body: { name: 'a', text: '1' } });
});

test('a 200 that cannot be read is unreadable; another status like it does not come from the API', () => {
  expect(jsonBody(response('<html>'), 'ACME', [200, 404])).toMatchObject({ failure: 'unreadable' });
  expect(xmlBody(response('{}'), 'ACME', [200, 500])).toMatchObject({ failure: 'unreadable' });
  expect(jsonBody(response('<html>', 404), 'ACME', [200, 404])).toMatchObject({ failure: 'transient' });
});

test.each([
  [401, 'auth'],
  [403, 'auth'],
  [429, 'rate_limited'],
  [503, 'transient'],
])('HTTP %i fails the call as %s', (status, failure) => {
  expect(jsonBody(response('{}', status), 'ACME')).toMatchObject({ failure });
});
