import { figure } from './figure.ts';
import { plotsOf } from './output.ts';
import { barChart, lineChart } from './plot.ts';

/** The points of a path, and those of circles. */
const numbersIn = (svg: string, attribute: string) =>
  Array.from(svg.matchAll(new RegExp(`${attribute}="([\\d.]+)"`, 'g')), ([, value]) => Number(value));

/** Whether each element that begins also ends, in the right order. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, closing, name = '', self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (self) continue;
    if (!closing) open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}

test('the length of bars is proportional to their values, and the longest fills the width', () => {
  const svg = barChart(
    't',
    [2, 1, 4].map((value) => ({ label: `${value}`, value, text: '' })),
    'x',
  );
  const [two = 0, one, four] = numbersIn(svg, 'width').slice(1);
  expect(one).toBe(two / 2);
  expect(four).toBe(two * 2);
});

test('a limit beyond all bars shortens them, so that it is visible', () => {
  const bar = { label: 'a', value: 1, text: '' };
  const [, alone = 0] = numbersIn(barChart('t', [bar], 'x'), 'width');
  const [, scaled] = numbersIn(barChart('t', [{ ...bar, limit: 4 }], 'x'), 'width');
  expect(scaled).toBe(alone / 4);
});

test('external text is escaped in the picture, and every element is closed', () => {
  const svg = barChart('a <b> & "c"', [{ label: '</text><script>', value: 1, text: '<' }], '>');
  expect(svg).not.toContain('<script');
  expect(svg).not.toContain('<b>');
  expect(isWellFormed(svg)).toBe(true);
});

test('on a logarithmic axis equal factors are equally far apart', () => {
  const axes = { title: 't', xLabel: 'x', yLabel: 'y', isLogX: true };
  const points = [10, 100, 1000].map((x) => [x, 1] as const);
  const [first = 0, second = 0, third = 0] = numbersIn(lineChart(axes, [{ label: 'l', points }]), 'cx');
  expect(third - second).toBeCloseTo(second - first, 0);
});

test('a line stays within its picture, whatever its values are', () => {
  const axes = { title: 't', xLabel: 'x', yLabel: 'y' };
  for (const ys of [[0, 0], [1e-9, 3e-9], [7, 1e9], [5]]) {
    const svg = lineChart(axes, [{ label: 'l', points: ys.map((y, x) => [x, y] as const) }]);
    expect(svg).not.toMatch(/NaN|Infinity/);
    for (const y of numbersIn(svg, 'cy')) expect(y >= 50 && y <= 290).toBe(true);
    expect(isWellFormed(svg)).toBe(true);
  }
});

test('there are colours for light and for dark pages', () => {
  const svg = barChart('t', [{ label: 'a', value: 1, text: '' }], 'x');
  expect(svg).toContain('prefers-color-scheme: dark');
});

test('a benchmark gets the bars of its ratios; figures without a ratio are omitted', () => {
  const [svg = ''] = Object.values(
    plotsOf('check', [figure('check', 3, 4, 'checks/s', 'redis'), figure('wal', 3, 0, 'bytes')]),
  );
  expect(svg).toContain('check, redis');
  expect(svg).toContain('3 : 4 checks/s');
  expect(svg).not.toContain('>wal<');
});
