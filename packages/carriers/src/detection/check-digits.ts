/**
 * Check digits of tracking numbers. Every function takes the text with its check character last and says whether it
 * holds; text of another alphabet than the rule's never holds.
 */

const DIGITS = /^\d+$/;
const S10_WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7];
const MOD36_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** UPU standard S10: the nine digits of an item identifier such as `RX123456785CN`, the ninth being the check. */
export function s10(digits: string): boolean {
  if (digits.length !== 9 || !DIGITS.test(digits)) return false;
  const rest = 11 - (weightedSum(digits.slice(0, 8), S10_WEIGHTS) % 11);
  const expected = rest === 10 ? 0 : rest === 11 ? 5 : rest;
  return expected === Number(digits.at(-1));
}

/** GS1's modulo 10: weights 3, 1, 3, … from the digit before the check digit leftwards. */
export function gs1(digits: string): boolean {
  if (!DIGITS.test(digits)) return false;
  let sum = 0;
  for (let i = digits.length - 2, weight = 3; i >= 0; i--, weight = 4 - weight) sum += Number(digits[i]) * weight;
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

/**
 * UPS's modulo 10, which OnTrac shares: weights 1, 2, 1, … from the left, products not split, letters counting as
 * A = 2, B = 3, … modulo 10.
 */
export function mod10WithLetters(text: string): boolean {
  if (!/^[A-Z0-9]*\d$/.test(text)) return false;
  let sum = 0;
  for (let i = 0; i < text.length - 1; i++) sum += valueWithLetters(text.charCodeAt(i)) * (i % 2 === 0 ? 1 : 2);
  return (10 - (sum % 10)) % 10 === Number(text.at(-1));
}

/** Deutsche Post's Identcode and Leitcode: weights 4, 9, 4, … from the left, modulo 10. */
export function identcode(digits: string): boolean {
  if (!DIGITS.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length - 1; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 4 : 9);
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

/** The serial modulo 7 is the check digit: air waybills, and twelve-digit numbers of Japanese carriers. */
export function mod7(digits: string): boolean {
  return DIGITS.test(digits) && Number(digits.slice(0, -1)) % 7 === Number(digits.at(-1));
}

/** Luhn's formula: every second digit from the right is doubled and its digits added. */
export function luhn(digits: string): boolean {
  if (!DIGITS.test(digits)) return false;
  let sum = 0;
  for (let i = digits.length - 1, doubled = false; i >= 0; i--, doubled = !doubled) {
    const value = Number(digits[i]) * (doubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** FedEx Express: weights 1, 3, 7, 1, … from the digit before the check digit leftwards, modulo 11, modulo 10. */
export function mod11mod10(digits: string): boolean {
  if (!DIGITS.test(digits)) return false;
  const weights = [1, 3, 7];
  let sum = 0;
  for (let i = digits.length - 2, step = 0; i >= 0; i--, step++) sum += Number(digits[i]) * (weights[step % 3] ?? 0);
  return (sum % 11) % 10 === Number(digits.at(-1));
}

/** ISO 7064 MOD 37,36, the check character of DPD's parcel numbers. */
export function mod37_36(text: string): boolean {
  let product = 36;
  for (const character of text.slice(0, -1)) {
    const value = MOD36_ALPHABET.indexOf(character);
    if (value < 0) return false;
    product = (((product + value) % 36 || 36) * 2) % 37;
  }
  return MOD36_ALPHABET[(37 - product) % 36] === text.at(-1);
}

function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0);
}

function valueWithLetters(charCode: number): number {
  return charCode <= 57 ? charCode - 48 : (charCode - 3) % 10;
}
