import { explainUnencodedAddress } from './server.ts';

const packet = (target: string | Buffer, more = 'Host: a\r\n\r\n') =>
  Buffer.concat([Buffer.from('GET '), Buffer.from(target), Buffer.from(` HTTP/1.1\r\n${more}`)]);
const GBK = Buffer.concat([Buffer.from('/shipments?status='), Buffer.from('c5c9cbcdd6d0', 'hex')]);

test.each<[string, Buffer, string]>([
  ['UTF-8', packet('/shipments?status=派送中&limit=5'), '/shipments?status=%E6%B4%BE%E9%80%81%E4%B8%AD&limit=5'],
  ['UTF-8 in the path', packet('/快'), '/%E5%BF%AB'],
  ['what is encoded already', packet('/a%20b?c=快'), '/a%20b?c=%E5%BF%AB'],
  ['GBK, as a Chinese Windows sends it', packet(GBK), '/shipments?status=%E6%B4%BE%E9%80%81%E4%B8%AD'],
  ['a space', packet('/shipments?status=out for'), '/shipments?status=out%20for'],
])('%s: the message contains the encoded URL', (_, bytes, address) => {
  expect(`${explainUnencodedAddress(bytes)}`).toContain(`Percent-encode their UTF-8 bytes: ${address} (`);
});

test.each([
  ['bytes of an unknown character set', packet(Buffer.from('/?a=ff80ff', 'latin1').fill(0xff, 4))],
  ['an address that is too long to show', packet(`/?a=${'快'.repeat(1000)}`)],
])('%s: the message has no URL', (_, bytes) => {
  expect(`${explainUnencodedAddress(bytes)}`).toMatch(/Percent-encode their UTF-8 bytes \(curl/);
});

test.each([
  ['a correct address', packet('/shipments?status=%E6%B4%BE')],
  ['no request at all', Buffer.from('hello\r\n\r\n')],
  ['half a request line', Buffer.from('GET /shipments?status=派')],
  ['an invalid header', packet('/a', 'X-Name: 快\r\n\r\n')],
])('%s is not explained by it', (_, bytes) => {
  expect(explainUnencodedAddress(bytes)).toBeNull();
});
