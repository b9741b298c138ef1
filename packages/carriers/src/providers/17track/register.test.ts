import { response } from '../../testing/parsed.ts';
import { parseRegistered } from './register.ts';

const ASKED = ['A12345', 'B12345'].map((number) => ({ number, carrier: 'usps' }));
const [A, B] = ['A12345', 'B12345'];
const parse = (accepted: object[], rejected: object[]) =>
  parseRegistered(response({ code: 0, data: { accepted, rejected } }), ASKED);
const refused = (code: number) => parse([{ number: A }], [{ number: B, error: { code, message: 'because' } }])[1];

test.each([-18019903, -18019910, -18010012, -18010020])('%i: the number is never accepted', (code) => {
  expect(refused(code)).toMatchObject({ kind: 'refused', message: expect.stringContaining('because') });
});
