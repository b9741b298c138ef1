import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type Refused, type Verified, verify } from './verify.ts';

type Vector = {
  name: string;
  secret: string | string[];
  now: number;
  headers: Record<string, string>;
  rawBody: string;
  expected: Verified | Omit<Refused, 'message'>;
};

const { vectors } = JSON.parse(readFileSync(new URL('../vectors.json', import.meta.url), 'utf8')) as {
  vectors: Vector[];
};
const at = (seconds: number) => ({ now: new Date(seconds * 1000) });
const [push] = vectors;
if (!push) throw new Error('vectors.json is empty');
const { headers, rawBody, secret, expected, now } = push;

test.each(vectors)('$name', (vector) => {
  const result = verify(vector.headers, vector.rawBody, vector.secret, at(vector.now));
  expect(result).toEqual(vector.expected.ok ? vector.expected : { ...vector.expected, message: expect.any(String) });
});

describe('headers and body', () => {
  test('headers may be a Headers, as in a Fetch API handler', () => {
    expect(verify(new Headers(headers), rawBody, secret, at(now))).toEqual(expected);
  });

  test('headers may have lists of values, as those of node:http', () => {
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    expect(verify({ ...lists, cookie: undefined }, rawBody, secret, at(now))).toEqual(expected);
  });

  test('a signature header that comes twice is refused, not chosen from', () => {
    const twice = { ...headers, 'x-webhook-signature': [headers['x-webhook-signature'] ?? '', 't=1,v1=00'] };
    expect(verify(twice, rawBody, secret, at(now))).toMatchObject({ ok: false, reason: 'malformed_signature' });
  });

  test('the body may be bytes', () => {
    expect(verify(headers, new TextEncoder().encode(rawBody), secret, at(now))).toEqual(expected);
    expect(verify(headers, Buffer.from(rawBody), secret, at(now))).toEqual(expected);
  });
});

test('the tolerance can be another one', () => {
  expect(verify(headers, rawBody, secret, { ...at(now + 9), toleranceSeconds: 10 })).toMatchObject({ ok: false });
  expect(verify(headers, rawBody, secret, { ...at(now + 8), toleranceSeconds: 10 })).toMatchObject({ ok: true });
});

test.each([
  ['tolerance', { toleranceSeconds: Number('five minutes') }],
  ['time', { now: new Date('today') }],
])('an invalid %s is refused, instead of accepting pushes of any age', (_what, options) => {
  expect(() => verify(headers, rawBody, secret, { ...at(now), ...options })).toThrow(/^verify needs a valid time/);
});

test.each([[''], [[]], [['whsec_one', '']], [undefined], [['whsec_one', undefined]]])(
  'no secret, or an empty one, is a fault of the caller: %j',
  (none) => {
    expect(() => verify(headers, rawBody, none as string, at(now))).toThrow('verify needs a non-empty secret');
  },
);

test.each([[JSON.parse(rawBody)], [undefined]])(
  'a body that was parsed, or not read, is a fault of the caller: %j',
  (body) => {
    expect(() => verify(headers, body as string, secret, at(now))).toThrow('call it before anything parses it');
  },
);

test('no other body has the signature', () => {
  fc.assert(
    fc.property(fc.string(), (other) => {
      fc.pre(other !== rawBody);
      expect(verify(headers, other, secret, at(now))).toMatchObject({ reason: 'signature_mismatch' });
    }),
  );
});

test('nothing that comes as a header makes it throw', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (signature, timestamp) => {
      const odd = { 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': timestamp };
      expect(verify(odd, rawBody, secret, at(now)).ok).toBe(false);
    }),
  );
});
