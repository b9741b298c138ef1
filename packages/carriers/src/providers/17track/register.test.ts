import { response } from '../../testing/parsed.ts';
import { parseRegistered } from './register.ts';

const ASKED = ['A12345', 'B12345'].map((number) => ({ number, carrier: 'usps' }));
const [A, B] = ['A12345', 'B12345'];
const parse = (accepted: object[], rejected: object[]) =>
  parseRegistered(response({ code: 0, data: { accepted, rejected } }), ASKED);
const refused = (code: number) => parse([{ number: A }], [{ number: B, error: { code, message: 'because' } }])[1];

test('a registered number is subscribed to, regardless of the others', () => {
  expect(parse([{ number: A, carrier: 21051, origin: 2 }], [])).toMatchObject([
    { kind: 'subscribed' },
    { kind: 'failed', failure: 'unreadable' },
  ]);
});

test('a number that is registered already is not a failure', () => {
  expect(refused(-18019901)).toEqual({ kind: 'already' });
});

test.each([-18019903, -18019910, -18010012, -18010020])('%i: the number is never accepted', (code) => {
  expect(refused(code)).toMatchObject({ kind: 'refused', message: expect.stringContaining('because') });
});

test.each([
  [-18019907, 'quota'],
  [-18019908, 'quota'],
  [-18010002, 'auth'],
  [-18010003, 'transient'],
])('%i is trouble of the account or of 17TRACK: %s', (code, failure) => {
  expect(refused(code)).toMatchObject({ kind: 'failed', failure });
});

test('a refused call fails every number', () => {
  const body = { code: -18010002, data: { errors: [{ code: -18010002, message: 'wrong' }] } };
  const auth = { kind: 'failed', failure: 'auth' };
  expect(parseRegistered(response(body), ASKED)).toMatchObject([auth, auth]);
  expect(parseRegistered(response('', 429), ASKED)).toMatchObject([{ failure: 'rate_limited' }, {}]);
});
