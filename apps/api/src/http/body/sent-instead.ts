import type { Fault } from '@pts/core/faults';

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

/**
 * A dry run in another spelling (`dryRun`), unless there is one. Other unknown fields are ignored; without this one, the call would
 * be charged.
 */
export function misspeltDryRun(input: object): Fault[] {
  if (Object.hasOwn(input, 'dry_run')) return [];
  return Object.keys(input)
    .filter((sent) => PLAIN_NAME.test(sent) && lettersOf(sent) === 'dryrun')
    .map((field) => ({ field, message: sendAs('dry_run'), error: 'invalid_field' }));
}

export function sendAs(meant: string): string {
  return `is unknown: send it as ${meant}`;
}

/** The known name that is most like another: the same word, a part of it, or the same but for a letter or two. */
export function likeliest(sent: string, known: readonly string[]): string | undefined {
  if (!PLAIN_NAME.test(sent)) return undefined;
  const part = known.find((name) => sentInstead(name, { [sent]: null }) !== undefined);
  if (part !== undefined) return part;
  // The record's, under a longer name (`webhook_id`).
  if (known.includes('id') && /(?:_id|[a-z]I[dD])$/.test(sent)) return 'id';
  const letters = lettersOf(sent);
  const near = known.map((name) => ({ name, edits: editsBetween(letters, lettersOf(name)) }));
  const [best] = near.sort((one, other) => one.edits - other.edits);
  return best && best.edits <= letters.length / 3 ? best.name : undefined;
}

/** How many letters are to be added, dropped or replaced to make one word the other. */
function editsBetween(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (let at = 0; at < other.length; at++) {
      const [kept = 0, dropped = 0, added = 0] = [before[at], before[at + 1], current[at]];
      current.push(Math.min(kept + (letter === other[at] ? 0 : 1), dropped + 1, added + 1));
    }
    before = current;
  }
  return before[other.length] ?? 0;
}

/** A name without case, separators and the plural. */
export function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/s$/, '');
}
