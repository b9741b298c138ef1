import { pageFor } from './drain.ts';

test.each([
  [4, 1, { fresh: 16, late: 4 }],
  [64, 1, { fresh: 256, late: 64 }],
  [64, 64, { fresh: 256, late: 64 }],
  [64, 500, { fresh: 32, late: 8 }],
  [2, 500, { fresh: 8, late: 4 }],
])('with a window of %d, among %d endpoints, a page is %j', (window, endpoints, page) => {
  expect(pageFor(window, endpoints)).toEqual(page);
});

test('however many endpoints there are, the loaded deliveries fit in memory', () => {
  for (const endpoints of [1, 10, 100, 500])
    expect(pageFor(64, endpoints).fresh * endpoints).toBeLessThanOrEqual(16_384);
});
