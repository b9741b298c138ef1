import { decode, type Encoding, guessEncoding, UNDECODABLE } from './encoding.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
/** 运单号,收件人电话,商品 / 圆通速递,蓝色夹克 in GBK. */
const GBK = Buffer.from('d4cbb5a5bac52cc9ccc6b70a59543132332cc0b6c9abbcd0bfcb0a', 'hex');

async function* oneByOne(bytes: Buffer) {
  for (const byte of bytes) yield Uint8Array.of(byte);
}

async function read(bytes: Buffer, encoding: Encoding) {
  let text = '';
  for await (const piece of decode(oneByOne(bytes), encoding)) text += piece;
  return text;
}

type Guessing = { size?: number; stated?: Encoding | null };
function guess(bytes: Buffer, { size = bytes.length, stated = null }: Guessing = {}): string | null {
  const guessing = guessEncoding(stated);
  for (let at = 0; at < bytes.length; at += size) guessing.take(bytes.subarray(at, at + size));
  return guessing.encoding();
}

test.each([
  ['ASCII', Buffer.from('a,b\n1,2\n'), 'utf-8'],
  ['UTF-8', Buffer.from('运单号,Größe\n'), 'utf-8'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeff运单号\n'), 'utf-8'],
  ['what Excel calls Unicode text', Buffer.from('\ufeff运单号\t1\n', 'utf16le'), 'utf-16le'],
  ['GB18030', GBK, 'gb18030'],
  // 运单号,单位, and pieces (件) in each row.
  [
    'GB18030 with many characters alone',
    Buffer.from(`d4cbb5a5bac52cb5a5cebb0a${'595431323334352cbcfe0a'.repeat(20)}`, 'hex'),
    'gb18030',
  ],
  ['GB18030 with such characters only', Buffer.from('7469746c650ac0b6204d0abaec204c0a', 'hex'), 'gb18030'],
  ['Windows-1252 with two special letters together', latin1('Größe M\nGröße L\nCOLEÇÃO\n'), 'windows-1252'],
  ['UTF-16, its more significant byte first', utf16be('\ufeff运单号\t1\n'), 'utf-16be'],
  ['UTF-16 without a byte order mark', Buffer.from('number\torder\nYT12345\t1\n', 'utf16le'), 'utf-16le'],
  ['UTF-16 in the other order without one', utf16be('单号\torder\nYT12345\t1\n'), 'utf-16be'],
  // 송장번호,상품
  ['EUC-KR', Buffer.from('bcdbc0e5b9f8c8a32cbbf3c7b00a313233340a', 'hex'), 'euc-kr'],
  // 주문번호,이름,택배사
  ['EUC-KR of a shop', Buffer.from('c1d6b9aeb9f8c8a32cc0ccb8a72cc5c3b9e8bbe70a', 'hex'), 'euc-kr'],
  // number,title / 1,파란 재킷 여름 바지 모자
  [
    'EUC-KR without a usual header',
    Buffer.from('6e756d6265722c7469746c650a312cc6c4b6f520c0e7c5b620bfa9b8a720b9d9c1f620b8f0c0da0a', 'hex'),
    'euc-kr',
  ],
  // number,title / 1,파란 재킷
  ['EUC-KR with one title', Buffer.from('6e756d6265722c7469746c650a312cc6c4b6f520c0e7c5b60a', 'hex'), 'euc-kr'],
  // name / 山本花子
  ['EUC-JP with a name alone', Buffer.from('6e616d650abbb3cbdcb2d6bbd20a', 'hex'), 'euc-jp'],
  // title / 瓷碗
  ['GB18030 with two characters that are not frequent', Buffer.from('7469746c650ab4c9cdeb0a', 'hex'), 'gb18030'],
  // 追跡番号,商品名
  ['EUC-JP', Buffer.from('c4c9c0d7c8d6b9e62cbea6c9caccbe0a313233340a', 'hex'), 'euc-jp'],
  // 伝票番号
  ['EUC-JP with a header alone', Buffer.from('c5c1c9bcc8d6b9e60a313233340a', 'hex'), 'euc-jp'],
  // number,title / 1,青いジャケット
  [
    'EUC-JP without a usual header',
    Buffer.from('6e756d6265722c7469746c650a312cc0c4a4a4a5b8a5e3a5b1a5c3a5c80a', 'hex'),
    'euc-jp',
  ],
  // 単位 in Shift_JIS, and other bytes that Windows-1252 does not have.
  ['Shift_JIS', Buffer.from('925088ca2c8fa4956981400a', 'hex'), null],
  ['a text of Windows-1252 with a byte that it does not have', latin1('Größe;M\x81ller;Köln\n'), null],
  ['Windows-1252', latin1('Größe;Straße;Müller;Köln;déjà vu\n'), 'windows-1252'],
  [
    'UTF-8 with a character that was cut',
    Buffer.concat([Buffer.from('Größe,Müller\n'.repeat(5)), latin1('Gr\xc3\n')]),
    'utf-8',
  ],
  ['a picture', Buffer.from('89504e470d0a1a0a0000ffd8ffe0c1c2c3f1f2f3', 'hex'), null],
])('%s is recognised, however it is cut', (_what, bytes, encoding) => {
  for (const size of [bytes.length, 1, 2, 3]) expect(guess(bytes, { size })).toBe(encoding);
});

test.each<[string, Buffer, Encoding, Encoding | null]>([
  ['GB18030, stated as UTF-8', GBK, 'utf-8', 'gb18030'],
  ['Windows-1252, stated as UTF-8', latin1('Größe;Straße;Müller\n'), 'utf-8', 'windows-1252'],
  ['Big5, stated as UTF-8', Buffer.from('b942b3e6b8b92cc2c5a6e2a7a8a74a0a', 'hex'), 'utf-8', null],
  ['UTF-8, stated as GB18030', Buffer.from('运单号,商品\n'), 'gb18030', 'utf-8'],
  ['UTF-8, stated as Windows-1252', Buffer.from('Größe\n'), 'windows-1252', 'utf-8'],
  ['Unicode text, stated as UTF-8', Buffer.from('\ufeff运单号\n', 'utf16le'), 'utf-8', 'utf-16le'],
  ['EUC-KR that may be GB18030', Buffer.from('bbf3c7b0', 'hex'), 'euc-kr', 'euc-kr'],
  ['bytes that Windows-1252 does not have', latin1('M\x81ller \x90'), 'windows-1252', null],
  ['GB18030 that may be UTF-8', Buffer.from('d0a1', 'hex'), 'gb18030', 'gb18030'],
  ['Windows-1252 that may be GB18030', latin1('ÄÖÜ\xc4'), 'windows-1252', 'windows-1252'],
])('%s: what is stated counts if the bytes are that', (_what, bytes, stated, encoding) => {
  for (const size of [bytes.length, 1, 2, 3]) expect(guess(bytes, { size, stated })).toBe(encoding);
});

test('invalid bytes are marked, but not a U+FFFD of the text itself', async () => {
  expect(await read(Buffer.from('a\ufffdb'), 'utf-8')).toBe('a\ufffdb');
  expect(await read(Buffer.from('61fffd62c3', 'hex'), 'utf-8')).toBe(`a${UNDECODABLE}${UNDECODABLE}b${UNDECODABLE}`);
  expect(await read(Buffer.from('d4cbb52c', 'hex'), 'gb18030')).toBe(`运${UNDECODABLE},`);
});

test('text is decoded across pieces, without its byte order mark', async () => {
  expect(await read(Buffer.from('\ufeff运单号'), 'utf-8')).toBe('运单号');
  expect(await read(GBK, 'gb18030')).toBe('运单号,商品\nYT123,蓝色夹克\n');
  expect(await read(latin1('Größe'), 'windows-1252')).toBe('Größe');
});
