import { realNumbers } from '../../support/numbers.ts';

const HEADER = 'Order #,Tracking number,Carrier,Product,Phone';

/** A shop's export: so many good rows of the sandbox carrier, and some with each of two faults. */
export function ordersFile(rows: number, wrong = 3): string {
  const good = Array.from({ length: rows }, (_, n) => `A-${1000 + n},SBXORDINARY${40_000 + n},sandbox,"Jacket, blue",`);
  const known = realNumbers(2).map(({ number }, n) => `B-${n},${number},,Scarf,5678`);
  const bad = Array.from({ length: wrong }, (_, n) => [
    `C-${n},12,,Hat,`,
    `D-${n},SBXORDINARY${50_000 + n},nobody,Hat,`,
  ]);
  return `${[HEADER, ...good, ...known, ...bad.flat()].join('\r\n')}\r\n`;
}
