import { ID_PATTERN, lowestId, newId } from './id.ts';

const RANDOM = Uint8Array.from([0, 1, 2, 0x7f, 0x80, 0xfd, 0xfe, 0xff]);
const AT = new Date('2026-03-09T04:05:06.789Z');

test('an id is the Unix seconds and the random bytes, in 24 hex characters', () => {
  expect(newId(AT, RANDOM)).toBe('69ae46f20001027f80fdfeff');
});

test('an id of the early epoch has 24 characters too', () => {
  expect(newId(new Date(1000), RANDOM)).toBe('000000010001027f80fdfeff');
});

test('bytes beyond the eighth are not used', () => {
  expect(newId(AT, Uint8Array.from([...RANDOM, 9, 9]))).toBe(newId(AT, RANDOM));
});

test('ids sort by the time they were made', () => {
  const later = newId(new Date(AT.getTime() + 1000), new Uint8Array(8));
  expect(
    later >
      newId(
        AT,
        Uint8Array.from({ length: 8 }, () => 0xff),
      ),
  ).toBe(true);
});

test('every new id fits the pattern', () => {
  expect(newId(AT, RANDOM)).toMatch(ID_PATTERN);
});

test.each([
  ['upper case', '69AE46F20001027F80FDFEFF'],
  ['too short', '69ae46f20001027f80fdfef'],
  ['too long', '69ae46f20001027f80fdfeff0'],
  ['no hex', '69ae46f20001027f80fdfefg'],
  ['a line after it', '69ae46f20001027f80fdfeff\n'],
  ['empty', ''],
])('an id with %s is invalid', (_fault, id) => {
  expect(id).not.toMatch(ID_PATTERN);
});

test('the ids of a second are not lower than its lowest, and higher than that of any earlier one', () => {
  const before = newId(new Date(AT.getTime() - 1000), new Uint8Array(8).fill(255));
  expect(lowestId(AT) <= newId(AT, new Uint8Array(8))).toBe(true);
  expect(before < lowestId(AT)).toBe(true);
});

test.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])('%s, which no id can say, has a lowest id', (time) => {
  expect(lowestId(new Date(time))).toMatch(ID_PATTERN);
});
