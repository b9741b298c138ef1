import { decode, guessEncoding } from './encoding.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** 运单号,收件人电话,商品 / 圆通速递,蓝色夹克 in GBK. */
const GBK = Buffer.from('d4cbb5a5bac52cc9ccc6b70a59543132332cc0b6c9abbcd0bfcb0a', 'hex');

function guess(bytes: Buffer, size = bytes.length): string | null {
  const guessing = guessEncoding();
  for (let at = 0; at < bytes.length; at += size) guessing.take(bytes.subarray(at, at + size));
  return guessing.encoding();
}

test.each([
  ['ASCII', Buffer.from('a,b\n1,2\n'), 'utf-8'],
  ['UTF-8', Buffer.from('运单号,Größe\n'), 'utf-8'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeff运单号\n'), 'utf-8'],
  ['what Excel calls Unicode text', Buffer.from('\ufeff运单号\t1\n', 'utf16le'), 'utf-16le'],
  ['GB18030', GBK, 'gb18030'],
  ['Windows-1252', latin1('Größe;Straße;Müller;Köln;déjà vu\n'), 'windows-1252'],
  ['a picture', Buffer.from('89504e470d0a1a0a0000ffd8ffe0c1c2c3f1f2f3', 'hex'), null],
])('%s is recognised, however it is cut', (_what, bytes, encoding) => {
  for (const size of [bytes.length, 1, 2, 3]) expect(guess(bytes, size)).toBe(encoding);
});

test('text is decoded across pieces, without its byte order mark', async () => {
  const read = async (bytes: Buffer, encoding: 'utf-8' | 'gb18030' | 'windows-1252') => {
    const pieces = (async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte);
    })();
    let text = '';
    for await (const piece of decode(pieces, encoding)) text += piece;
    return text;
  };
  expect(await read(Buffer.from('\ufeff运单号'), 'utf-8')).toBe('运单号');
  expect(await read(GBK, 'gb18030')).toBe('运单号,商品\nYT123,蓝色夹克\n');
  expect(await read(latin1('Größe'), 'windows-1252')).toBe('Größe');
});
