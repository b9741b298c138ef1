import fc from 'fast-check';
import { newSecret, SECRET_PREFIX, sign, signatureHeader, standardSignatureHeader } from './signature.ts';

/**
 * Vectors made with openssl, TEXT being the timestamp (for Standard Webhooks the id and the timestamp) and the body,
 * joined by periods:
 *   printf %s "$TEXT" | openssl dgst -sha256 -hmac "$SECRET"
 *   printf %s "$TEXT" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$DECODED_SECRET_IN_HEX -binary | base64
 */
const T = 1_795_000_000;
const ID = '65a1b2c3d4e5f60718293a4b';
const BODY = '{"event":"tracking_update","data":{"status":"已签收"}}';
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const OLD_SECRET = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=';
const HEX = '752946454f640a5df6b1380e7fb066f82f289ea0e7902043cc7427a62e0c7fdb';
const OLD_HEX = '48025bcee7ad5a3a9cb0e4a394f94cde0415e14aa3ae78e9399a116c1a1ccb85';
const BASE64 = 'g809RXbDiw7mevQhiU1E2tMMnLNB25HzFcIg05xUznE=';
const OLD_BASE64 = 'JuHh/ReIEVTvbB007wXWZFs1sLYapKDLByeQzFnZUmk=';

test('a secret is whsec_ and the base64 of its bytes', () => {
  expect(newSecret(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(SECRET);
  expect(newSecret(Uint8Array.from({ length: 32 }, (_, i) => 255 - i))).toBe(OLD_SECRET);
});

describe('the signature of spec section 6.3', () => {
  test('is the HMAC-SHA256 that openssl makes, in lowercase hex, with the whole secret as key', () => {
    expect(sign(SECRET, T, BODY)).toBe(HEX);
    expect(sign(OLD_SECRET, T, BODY)).toBe(OLD_HEX);
  });

  test('is over the bytes of the body', () => {
    expect(sign(SECRET, T, Buffer.from(BODY, 'utf8'))).toBe(HEX);
  });

  test('goes into the header with its timestamp', () => {
    expect(signatureHeader([SECRET], T, BODY)).toBe(`t=${T},v1=${HEX}`);
  });

  test('is made with both secrets during a rotation, the new one first', () => {
    expect(signatureHeader([SECRET, OLD_SECRET], T, BODY)).toBe(`t=${T},v1=${HEX},v1=${OLD_HEX}`);
  });

  test('differs with every other secret, timestamp and body', () => {
    const inputs = fc.tuple(fc.string({ minLength: 1 }), fc.nat(), fc.string());
    fc.assert(
      fc.property(inputs, inputs, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        return sign(...one) !== sign(...other);
      }),
    );
  });
});

describe('the signature of Standard Webhooks', () => {
  test('is the HMAC-SHA256 that openssl makes, in base64, with the decoded secret as key', () => {
    expect(standardSignatureHeader([SECRET], ID, T, BODY)).toBe(`v1,${BASE64}`);
  });

  test('is made with both secrets during a rotation, separated by a space', () => {
    expect(standardSignatureHeader([SECRET, OLD_SECRET], ID, T, Buffer.from(BODY))).toBe(
      `v1,${BASE64} v1,${OLD_BASE64}`,
    );
  });
});

test('every new secret has the prefix and holds 32 bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
      const secret = newSecret(random);
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')).toEqual(Buffer.from(random));
    }),
  );
});
