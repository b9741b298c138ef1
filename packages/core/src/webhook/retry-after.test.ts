import { retryAfter } from './retry-after.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

test.each<[number, string | null, Date | null]>([
  [429, '120', later(120)],
  [503, ' 1 ', later(1)],
  [503, 'Sat, 05 Apr 2031 06:10:00 GMT', later(600)],
  [429, '999999999999', later(86_400)],
  [429, 'Sat, 05 Apr 2099 06:10:00 GMT', later(86_400)],
  [429, '0', null],
  [429, '-5', null],
  [429, '1.5e3 years', null],
  [429, '', null],
  [429, 'Sat, 05 Apr 2031 05:59:59 GMT', null],
  [429, null, null],
  [500, '120', null],
  [200, '120', null],
  [301, '120', null],
])('an answer %i with Retry-After %j', (status, header, wanted) => {
  expect(retryAfter(status, header, NOW)).toEqual(wanted);
});
