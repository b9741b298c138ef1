/** Names shorter than this are part of many others. */
const MIN_LETTERS = 3;
/** Only such names are repeated in a message. */
const PLAIN_NAME = /^[\w-]{1,40}(?:\[\])?$/;

/**
 * The unknown field of an input that was probably meant to be the missing one: the same word in another case, with other
 * separators, in the plural, or as a part of it (`trackingNumber`, `tracking_numbers[]`, `number`).
 */
export function sentInstead(missing: string, input: object, known: readonly string[] = []): string | undefined {
  const wanted = lettersOf(missing);
  return Object.keys(input).find((name) => {
    if (name === missing || known.includes(name) || !PLAIN_NAME.test(name)) return false;
    const [short = '', long = ''] = [lettersOf(name), wanted].sort((one, other) => one.length - other.length);
    return short.length >= MIN_LETTERS && long.includes(short);
  });
}

function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/s$/, '');
}
