/** Numbers of real formats, made up: check digits are computed where the format has one. */

const pad = (value: number, length: number) => String(value).padStart(length, '0').slice(-length);

function s10(service: string, serial: number, country: string): string {
  const digits = pad(serial, 8);
  const weights = [8, 6, 4, 2, 3, 5, 9, 7];
  const sum = weights.reduce((total, weight, i) => total + weight * Number(digits[i]), 0);
  const rest = 11 - (sum % 11);
  return `${service}${digits}${rest === 10 ? 0 : rest === 11 ? 5 : rest}${country}`;
}

function ups(serial: number): string {
  const body = `5R8939035${pad(serial, 6)}`;
  const values = [...body].map((c) => (/\d/.test(c) ? Number(c) : (c.charCodeAt(0) - 3) % 10));
  const sum = values.reduce((total, value, i) => total + (i % 2 === 0 ? value : value * 2), 0);
  return `1Z${body}${(10 - (sum % 10)) % 10}`;
}

function usps(serial: number): string {
  const body = `94001112062064${pad(serial, 7)}`;
  const sum = [...body].reverse().reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 3 : 1), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

/** The format of numbers, and their carrier. */
const FORMATS: readonly [carrier: string, make: (serial: number) => string][] = [
  ['sf-express', (n) => `SF${pad(1_400_000_000_000 + n, 13)}`],
  ['yto', (n) => `YT${pad(8_100_000_000_000 + n, 13)}`],
  ['zto', (n) => `736${pad(n, 11)}`],
  ['sto', (n) => `773${pad(n, 12)}`],
  ['yunda', (n) => `4630${pad(n, 11)}`],
  ['jd', (n) => `JDVA${pad(n, 11)}`],
  ['jtexpress', (n) => `JT${pad(5_200_000_000_000 + n, 13)}`],
  ['deppon', (n) => `DPK${pad(n, 12)}`],
  ['china-ems', (n) => s10('EE', n, 'CN')],
  ['china-post', (n) => s10('RR', n, 'CN')],
  ['yunexpress', (n) => `YT${pad(n, 16)}`],
  ['cainiao', (n) => `LP${pad(n, 14)}`],
  ['royal-mail', (n) => s10('RB', n, 'GB')],
  ['japan-post', (n) => s10('EM', n, 'JP')],
  ['ups', ups],
  ['usps', usps],
  ['amazon', (n) => `TBA${pad(n, 12)}`],
  ['gofo', (n) => `GFUS${pad(n, 14)}`],
  ['sunyou', (n) => `SYUS${pad(n, 9)}`],
  ['wanb', (n) => `WNBAA${pad(n, 10)}YQ`],
];

/** `count` different numbers, cycling through the formats, each with its carrier. */
export function realNumbers(count: number): { number: string; carrier: string }[] {
  return Array.from({ length: count }, (_, i) => {
    const [carrier, make] = FORMATS[i % FORMATS.length] ?? ['', String];
    return { number: make(10_000 + 7 * i), carrier };
  });
}
