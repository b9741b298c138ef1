import { changesSince, MAX_CHANGES, withChanges } from './changes.ts';

test('of more changed parcels than are kept, those with the newest news are', () => {
  const ids = Array.from({ length: MAX_CHANGES }, (_, n) => `parcel ${n}`);
  const changes = withChanges(withChanges(new Map(), ids, 1), ['parcel 0', 'new'], 2);
  expect(changes.size).toBe(MAX_CHANGES);
  expect(changes.has('parcel 1')).toBe(false);
  expect([...changesSince(changes, 1).keys()]).toEqual(['parcel 0', 'new']);
});
