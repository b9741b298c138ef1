import { ID_PATTERN } from '@pts/core/id';
import { freshId } from './ids.ts';

test('ids of the same moment all differ, even if they use more bytes than one draw provides', () => {
  const now = new Date('2026-03-09T04:05:06.789Z');
  const ids = Array.from({ length: 5000 }, () => freshId(now));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !ID_PATTERN.test(id))).toEqual([]);
});
