import { keptIn } from './kept.ts';

test('where the browser refuses storage, the page keeps the values', () => {
  const kept = keptIn(() => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  });
  kept.setItem('a', '1');
  kept.setItem('b', '2');
  kept.removeItem('b');
  expect([kept.getItem('a'), kept.getItem('b')]).toEqual(['1', null]);
});

test('a storage that can be used is used', () => {
  const storage = { getItem: () => 'x', setItem: () => {}, removeItem: () => {} };
  expect(keptIn(() => storage)).toBe(storage);
});
