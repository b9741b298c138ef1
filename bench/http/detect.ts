import { detect } from '@pts/carriers/detection/detect';
import { realNumbers } from '../../tests/support/numbers.ts';
import { type Figure, figure } from '../parts/figure.ts';

const NUMBERS = 20_000;
const ROUNDS = 5;
const BARE = /^[A-Z0-9]{5,50}$/;

/**
 * Microseconds to detect the possible carriers of a number: twenty forms of many carriers one after another, and bare twelve
 * digits, which most carriers use. The bare figure: one pattern tested on the same numbers.
 */
export async function benchDetect(): Promise<Figure[]> {
  const mixed = realNumbers(NUMBERS).map(({ number }) => number);
  const digits = Array.from({ length: NUMBERS }, (_, i) => String(100_000_000_007 + i * 39_999_983));
  return [measured('detect', mixed), measured('detect-digits', digits)];
}

function measured(name: string, numbers: readonly string[]): Figure {
  const off = { sandbox: false };
  const ours = best(numbers, (number) => detect(number, off).length);
  const bare = best(numbers, (number) => Number(BARE.test(number)));
  return figure(name, ours, bare, 'µs');
}

/** The round that the machine disturbed least. @returns microseconds per number. */
function best(numbers: readonly string[], work: (number: string) => number): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    let found = 0;
    for (const number of numbers) found += work(number);
    if (found === 0) throw new Error('nothing was found');
    return ((performance.now() - startedAt) * 1000) / numbers.length;
  });
  return Math.min(...rounds);
}
