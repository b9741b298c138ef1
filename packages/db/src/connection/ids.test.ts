import { ID_PATTERN } from '@pts/core/id';
import { freshId } from './ids.ts';

test('ids of one moment all differ, also beyond the bytes that are drawn at once', () => {
  const now = new Date('2026-03-09T04:05:06.789Z');
  const ids = Array.from({ length: 5000 }, () => freshId(now));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !ID_PATTERN.test(id))).toEqual([]);
});
