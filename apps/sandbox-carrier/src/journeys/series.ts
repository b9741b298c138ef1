/** Bare numbers that only one carrier knows: their first digits, our code of the carrier, and Kuaidi100's. */
const SERIES: readonly (readonly [start: string, ...carriers: string[]])[] = [
  ['7701', 'sto', 'shentong'],
  ['7702', 'yto', 'yuantong'],
  ['7703', 'zto', 'zhongtong'],
  // No carrier knows these.
  ['7709'],
];
const BARE_NUMBER = /^\d{12}$/;

/** Whether a carrier knows a number. Numbers outside the series, and queries without a carrier, are known to all. */
export function isKnownTo(number: string, carrier: string | undefined): boolean {
  if (carrier === undefined || !BARE_NUMBER.test(number)) return true;
  const series = SERIES.find(([start]) => number.startsWith(start));
  return series === undefined || series.slice(1).includes(carrier);
}
