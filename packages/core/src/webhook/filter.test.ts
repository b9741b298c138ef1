import { normalizedFilter, type PushFilter, passes } from './filter.ts';

const DATA = { carrier: 'yto', sub_status: 'exception', metadata: { shop: 'hangzhou', tier: 'gold' } } as const;

test.each<[PushFilter | null, boolean]>([
  [null, true],
  [{}, true],
  [{ carriers: ['yto'] }, true],
  [{ carriers: ['ups', 'yto'] }, true],
  [{ carriers: ['ups'] }, false],
  [{ sub_statuses: ['exception', 'returned'] }, true],
  [{ sub_statuses: ['delivered'] }, false],
  [{ metadata: { shop: ['hangzhou'] } }, true],
  [{ metadata: { shop: ['ningbo', 'hangzhou'] } }, true],
  [{ metadata: { shop: ['ningbo'] } }, false],
  [{ metadata: { shop: ['hangzhou'], tier: ['silver'] } }, false],
  [{ metadata: { shop: ['hangzhou'], tier: ['gold'] } }, true],
  [{ metadata: { brand: ['x'] } }, false],
  [{ problems: ['customs', 'held'] }, true],
  [{ problems: ['lost'] }, false],
  [{ problems: ['customs'], sub_statuses: ['delivered'] }, false],
  [{ carriers: ['yto'], sub_statuses: ['delivered'] }, false],
  [{ carriers: ['yto'], sub_statuses: ['exception'], metadata: { tier: ['gold'] } }, true],
])('every condition must hold, each by one of its values: %j', (filter, expected) => {
  expect(passes(filter, DATA, 'customs')).toBe(expected);
});

test('a parcel without metadata does not pass a condition on it', () => {
  expect(passes({ metadata: { shop: ['hangzhou'] } }, { carrier: 'yto', sub_status: 'delivered' }, null)).toBe(false);
  expect(passes({ metadata: { constructor: ['x'] } }, DATA, null)).toBe(false);
});

test('a parcel without a problem does not pass a condition on it', () => {
  expect(passes({ problems: ['customs'] }, DATA, null)).toBe(false);
  expect(passes({ problems: ['customs'] }, DATA, undefined)).toBe(false);
});

test('an event without a parcel is not filtered', () => {
  expect(passes({ carriers: ['ups'] }, {}, null)).toBe(true);
});

test('conditions without values are none', () => {
  expect(normalizedFilter({ carriers: [], metadata: { shop: [] } })).toBeNull();
  expect(normalizedFilter({})).toBeNull();
  expect(normalizedFilter({ carriers: ['yto'], sub_statuses: [], metadata: { shop: [] } })).toEqual({
    carriers: ['yto'],
  });
});
