import { readList } from '../settings/setting.ts';

/** A random key has about thirty distinct bytes. */
const FEWEST_DISTINCT_BYTES = 16;
const LONGEST_PERIOD = 16;

/**
 * Why a key of 32 bytes is clearly not random: typed in, counted up or repeated. The chance that a random key is
 * refused is below one in two billion, nearly all of it `one case`; the comment at each rule says how much it adds.
 * @param keyBase64 32 bytes in standard base64, checked before.
 * @returns null if the key passes.
 */
export function keyWeakness(keyBase64: string): string | null {
  const key = Buffer.from(keyBase64, 'base64');
  return RULES.find(({ holds }) => holds(key, keyBase64.replace(/=$/, '')))?.weakness ?? null;
}

/** What is wrong with a list of keys, separated by commas, as the end of a sentence; null if nothing is. */
export function keysFault(text: string): string | null {
  const keys = readList(text);
  if (new Set(keys).size < keys.length) return 'has the same key twice';
  for (const [at, key] of keys.entries()) {
    const fault = keyFault(key);
    if (fault !== null) return keys.length === 1 ? fault : `(key ${at + 1} of ${keys.length}) ${fault}`;
  }
  return keys.length === 0 ? 'has no key; generate one with: openssl rand -base64 32' : null;
}

function keyFault(key: string): string | null {
  const isKey = /^[A-Za-z0-9+/]{43}=$/.test(key);
  const weakness = isKey ? keyWeakness(key) : null;
  if (isKey && weakness === null) return null;
  const fault = isKey ? `is not a random key (${weakness})` : 'is not 32 bytes in base64';
  return `${fault}; generate one with: openssl rand -base64 32`;
}

type Rule = { weakness: string; holds(key: Buffer, text: string): boolean };

const RULES: readonly Rule[] = [
  // (1/256)^16: the second half follows from the first.
  { weakness: 'its bytes repeat', holds: repeats },
  // (98/256)^32 ≈ 5e-14 for ASCII; longer characters are rarer still.
  { weakness: 'it is text', holds: isText },
  // C(256,15) × (15/256)^32 ≈ 3e-16.
  { weakness: 'it has very few distinct bytes', holds: (key) => new Set(key).size < FEWEST_DISTINCT_BYTES },
  // C(31,16) × (1/256)^16 × 256 ≈ 2e-28 for the bytes, C(42,22) × (1/64)^21 ≈ 6e-27 for the characters.
  { weakness: 'its bytes count up or down', holds: (key, text) => counts(key) || counts(Buffer.from(text)) },
  // 2 × (38/64)^43 ≈ 4e-10.
  { weakness: 'all its letters have the same case', holds: (_key, text) => !/[a-z]/.test(text) || !/[A-Z]/.test(text) },
];

function repeats(key: Buffer): boolean {
  const periods = Array.from({ length: LONGEST_PERIOD }, (_, index) => index + 1);
  return periods.some((period) => key.every((byte, at) => at < period || byte === key[at - period]));
}

/** Whether most neighbouring bytes differ by the same step. */
function counts(bytes: Buffer): boolean {
  const steps = new Map<number, number>();
  for (let at = 1; at < bytes.length; at++) {
    const step = ((bytes[at] ?? 0) - (bytes[at - 1] ?? 0)) & 255;
    steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  return Math.max(...steps.values()) > (bytes.length - 1) / 2;
}

/** Whether the bytes are UTF-8 without control characters: a sentence in any language. */
function isText(key: Buffer): boolean {
  try {
    return !/[^\P{Cc}\t\r\n]/u.test(new TextDecoder('utf-8', { fatal: true }).decode(key));
  } catch {
    return false;
  }
}
