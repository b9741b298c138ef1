import { type Fault, invalidField } from './errors.ts';
import { type Message, message } from './languages/message.ts';

/** Names shorter than this are part of many others. */
const MIN_LETTERS = 3;
/** Only such names are repeated in a message. */
const PLAIN_NAME = /^[\w-]{1,40}(?:\[\])?$/;

/**
 * The unknown field of an input that was probably meant to be the missing one: the same word in another case, with
 * other separators, in the plural, or as a part of it (`trackingNumber`, `tracking_numbers[]`, `number`).
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
 * A dry run in another spelling (`dryRun`), unless there is one. Other unknown fields are ignored; without this one,
 * the call would be charged.
 */
export function misspeltDryRun(input: object): Fault[] {
  if (Object.hasOwn(input, 'dry_run')) return [];
  return Object.keys(input)
    .filter((sent) => /^[^a-z0-9]*d/i.test(sent) && PLAIN_NAME.test(sent) && lettersOf(sent) === 'dryrun')
    .map((field) => invalidField(field, sendAs('dry_run')));
}

export function sendAs(meant: string): Message {
  return message('field.unknown_send_as', { meant });
}

/** Other APIs' names for our fields and parameters, as `lettersOf` reads them; the first that is known is meant. */
const ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    page: ['cursor', 'after', 'before'],
    offset: ['cursor', 'after', 'before'],
    cursor: ['after', 'before'],
    perpage: ['limit'],
    pagesize: ['limit'],
    search: ['q'],
    query: ['q'],
    from: ['since', 'created_after'],
    to: ['until', 'created_before'],
    trackingnumber: ['q'],
    trackingno: ['tracking_number'],
    waybill: ['tracking_number'],
    awb: ['tracking_number'],
    ...Object.fromEntries(
      [
        ...['carrier', 'courier', 'carriercode', 'couriercode', 'carriername', 'couriername', 'carrierid'],
        ...['slug', 'provider', 'shipper', 'shippingcarrier', 'shippingprovider', 'trackingcompany', 'logistic'],
      ].map((name) => [name, ['courier_code', 'carrier']]),
    ),
    ...Object.fromEntries(
      ['ordernumber', 'orderno', 'orderid', 'orderref', 'orderreference', 'reference', 'customerreference'].map(
        (name) => [name, ['order_id', 'order_number']],
      ),
    ),
    tel: ['phone', 'customer_phone'],
    telephone: ['phone', 'customer_phone'],
    mobile: ['phone', 'customer_phone'],
    zip: ['postal_code', 'tracking_postal_code'],
    zipcode: ['postal_code', 'tracking_postal_code'],
    postcode: ['postal_code', 'tracking_postal_code'],
    name: ['title'],
    product: ['title'],
    productname: ['title'],
    customfield: ['metadata'],
  }),
);

/**
 * The known name that is most like another: the same word, a part of it, what another API calls it, or the same but for
 * a letter or two.
 */
export function likeliest(sent: string, known: readonly string[]): string | undefined {
  if (!PLAIN_NAME.test(sent)) return undefined;
  const part = known.find((name) => sentInstead(name, { [sent]: null }) !== undefined);
  if (part !== undefined) return part;
  const letters = lettersOf(sent);
  const elsewhere = ELSEWHERE.get(letters)?.find((name) => known.includes(name));
  if (elsewhere !== undefined) return elsewhere;
  // The record's, under a longer name (`webhook_id`).
  if (known.includes('id') && /(?:_id|[a-z]I[dD])$/.test(sent)) return 'id';
  return nearest(sent, known);
}

/**
 * The known word that is the same as a short text but for a letter in three, without case, separators and the plural.
 */
export function nearest(text: string, known: readonly string[]): string | undefined {
  if (!PLAIN_NAME.test(text)) return undefined;
  const letters = lettersOf(text);
  const [best] = byEdits(
    letters,
    known.map((word) => ({ word, letters: lettersOf(word) })),
  );
  return best && best.edits <= letters.length / 3 ? best.word : undefined;
}

/**
 * The variable of the environment that somebody probably meant: a slip of one or two characters, two of them swapped,
 * or a name whose last word is missing (`WEBHOOK_RETENTION` for `WEBHOOK_RETENTION_DAYS`).
 * @returns null if none is near. Short names have too many neighbours to be compared.
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length < 5 || name.length > MAX_LENGTH) return null;
  const [best] = byEdits(
    name,
    known.map((word) => ({ word, letters: word })),
  );
  if (best !== undefined && best.edits <= (name.length < 8 ? 1 : 2)) return best.word;
  return name.includes('_') ? (known.find((word) => word.startsWith(`${name}_`)) ?? null) : null;
}

/** Names of the environment are anybody's; comparing takes time by the product of the lengths. */
const MAX_LENGTH = 64;

function byEdits(letters: string, words: readonly { word: string; letters: string }[]) {
  return words
    .map(({ word, letters: ofWord }) => ({ word, edits: editsBetween(letters, ofWord) }))
    .sort((one, other) => one.edits - other.edits);
}

/** How many letters must be added, dropped, replaced or swapped with their neighbour (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return at(last, other.length);
}

const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY;

/** A name without case, separators and the plural. */
export function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/s$/, '');
}
