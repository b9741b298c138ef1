import { formatIn } from './format.ts';

const NOW = Date.parse('2031-04-08T12:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000);

describe('a time in words', () => {
  const { relative } = formatIn('en');
  // biome-ignore format: a table
  test.each([
    [0, 'now'], [3, 'now'], [-3, 'now'], [42, '42 sec. ago'], [59, '59 sec. ago'], [60, '1 min. ago'], [3599, '59 min. ago'],
    [7200, '2 hr. ago'], [86_400, 'yesterday'], [29 * 86_400, '29 days ago'], [-300, 'in 5 min.'],
  ])('%i seconds ago is "%s"', (seconds, words) => {
    expect(relative(ago(seconds), NOW)).toBe(words);
  });

  test('from 30 days on, it is the date', () => {
    expect(relative(ago(30 * 86_400), NOW)).toMatch(/2031/);
  });

  test('in Chinese', () => {
    expect(formatIn('zh-CN').relative(ago(300), NOW)).toBe('5分钟前');
  });
});

test('how long something lasts is its largest unit; how long until something is a clock', () => {
  const { lasting, countdown } = formatIn('en');
  expect([0, 59_000, 119_000, 7_300_000, 3 * 86_400_000].map(lasting)).toEqual([
    ...['1\u00a0sec', '59\u00a0sec', '1\u00a0min', '2\u00a0hr', '3\u00a0days'],
  ]);
  expect(formatIn('zh-CN').lasting(7_300_000)).toBe('2小时');
  expect([-1, 9_400, 250_000, 7_450_000].map(countdown)).toEqual(['0:00', '0:09', '4:10', '2:04:10']);
});

describe('when a parcel is expected', () => {
  const { expected, expectedShort } = formatIn('en-GB');
  const of = (from: string, to = from) => ({ from, to, source: 'carrier' }) as const;
  const noon = new Date(2031, 3, 8, 12).getTime();
  const at = (hour: number) => new Date(2031, 3, 8, hour).toISOString();

  test('a date without a time is the same day in every time zone', () => {
    expect([expected(of('2031-04-08'), noon), expectedShort(of('2031-04-08'), noon)]).toEqual([
      'Tue 8 Apr',
      'Tue 8 Apr',
    ]);
  });

  test('several days are a range', () => {
    expect(expected(of('2031-04-08', '2031-04-10'), noon)).toBe('Tue 8 Apr – Thu 10 Apr');
    expect(expectedShort(of('2031-04-08', '2031-04-10'), noon)).toMatch(/^8\s?–\s?10 Apr$/);
  });

  test('a column has hours for today alone', () => {
    expect(expectedShort(of(at(14), at(16)), noon)).toMatch(/^14:00\s?–\s?16:00$/);
    expect(expectedShort(of(at(14), at(16)), noon - 48 * 3_600_000)).toBe('Tue 8 Apr');
  });
});

describe('the time of another place', () => {
  const { there } = formatIn('en');
  const noon = new Date(2031, 3, 8, 12);
  /** The same moment by clocks that are ahead of those of the reader. */
  const ahead = (minutes: number) => {
    const offset = minutes - noon.getTimezoneOffset();
    const clock = new Date(noon.getTime() + offset * 60_000).toISOString().slice(0, 19);
    const [hours, rest] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
    return `${clock}${offset < 0 ? '-' : '+'}${[hours, rest].map((part) => String(part).padStart(2, '0')).join(':')}`;
  };

  test('is not said where clocks show the same', () => {
    expect(there(ahead(0))).toBeNull();
  });

  test('has its offset, and the day where it is another one', () => {
    expect(there(ahead(90))).toEqual({ time: '13:30', zone: expect.stringMatching(/^UTC[+−]\d\d:\d\d$/) });
    expect(there(ahead(-13 * 60))?.time).toMatch(/Mon.*23:00/);
  });
});

test('numbers have units that do not break', () => {
  const { number, duration } = formatIn('en');
  expect([number(4312), duration(38), duration(1234)]).toEqual(['4,312', '38\u00a0ms', '1.2\u00a0s']);
});
