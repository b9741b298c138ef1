import { COMPANIES } from './companies.ts';

test('no two carriers share a code, so that an answer’s code names ours', () => {
  const codes = Object.values(COMPANIES);
  expect(codes).toEqual([...new Set(codes)]);
});
