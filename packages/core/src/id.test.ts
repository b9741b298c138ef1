import { ID_PATTERN, newId } from './id.ts';

const AT = new Date('2026-03-09T04:05:06.789Z');

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
