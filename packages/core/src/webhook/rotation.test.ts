import { signingBoxes } from './rotation.ts';

const at = new Date('2026-01-02T00:00:00Z');
const later = new Date('2026-01-02T00:00:01Z');

test.each([
  ['never rotated', null, null, ['new']],
  ['within the rotation', 'old', later, ['new', 'old']],
  ['at its end', 'old', at, ['new']],
])('%s', (_, previousSecretBox, previousUntil, boxes) => {
  expect(signingBoxes({ secretBox: 'new', previousSecretBox, previousUntil }, at)).toEqual(boxes);
});
