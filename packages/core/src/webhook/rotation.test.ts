import { previousUntil, signingBoxes, signingBoxesThen } from './rotation.ts';

const at = new Date('2026-01-02T00:00:00Z');
const later = new Date('2026-01-02T00:00:01Z');

test.each([
  ['never rotated', null, null, ['new']],
  ['within the rotation', 'old', later, ['new', 'old']],
  ['at its end', 'old', at, ['new']],
])('%s', (_, previousSecretBox, previousUntil, boxes) => {
  expect(signingBoxes({ secretBox: 'new', previousSecretBox, previousUntil }, at)).toEqual(boxes);
});

describe('looking back at an attempt', () => {
  const stored = { secretBox: 'new', previousSecretBox: 'old', previousUntil: previousUntil(at) };
  const minutes = (count: number) => new Date(at.getTime() + count * 60_000);

  test.each<[string, number, string[] | null]>([
    ['before the rotation', -1, null],
    ['as it was rotated', 0, null],
    ['during the rotation', 1, ['new', 'old']],
    ['at the end of the rotation', 24 * 60, ['new']],
  ])('%s', (_, minute, boxes) => {
    expect(signingBoxesThen(stored, minutes(minute))).toEqual(boxes);
  });

  test('a secret that was never rotated has signed everything', () => {
    const first = { secretBox: 'new', previousSecretBox: null, previousUntil: null };
    expect(signingBoxesThen(first, minutes(-1_000_000))).toEqual(['new']);
  });
});
