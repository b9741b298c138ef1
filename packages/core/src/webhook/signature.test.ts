import { sign, standardSignatureHeader } from './signature.ts';

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

describe('the signature of spec section 6.3', () => {
  test('is the HMAC-SHA256 that openssl makes, in lowercase hex, with the whole secret as key', () => {
    expect(sign(SECRET, T, BODY)).toBe(HEX);
    expect(sign(OLD_SECRET, T, BODY)).toBe(OLD_HEX);
  });
});

describe('the signature of Standard Webhooks', () => {
  test('is the HMAC-SHA256 that openssl makes, in base64, with the decoded secret as key', () => {
    expect(standardSignatureHeader([SECRET], ID, T, BODY)).toBe(`v1,${BASE64}`);
  });
});
