import { gs1, mod7, s10 } from './check-digits.ts';
import { type Format, TYPO } from './format.ts';

/** Who numbers S10 items: letters of service, nine digits with the check digit last, the country of the post. */
// biome-ignore format: one form per line reads as the table it is
const S10_ITEMS: readonly Format[] = [
  ['china-ems', /^E[A-Z](\d{9})CN$/, 100, s10, TYPO],
  ['china-post', /^[A-DF-Z][A-Z](\d{9})CN$/, 100, s10, TYPO],
  ['usps', /^[A-Z]{2}(\d{9})US$/, 100, s10, TYPO],
  ['royal-mail', /^[A-Z]{2}(\d{9})GB$/, 100, s10, TYPO],
  ['canada-post', /^[A-Z]{2}(\d{9})CA$/, 100, s10, TYPO],
  ['australia-post', /^[A-Z]{2}(\d{9})AU$/, 100, s10, TYPO],
  ['japan-post', /^[A-Z]{2}(\d{9})JP$/, 100, s10, TYPO],
  ['postnord', /^[A-Z]{2}(\d{9})(?:SE|DK|NO|FI)$/, 100, s10, TYPO],
];

/** The item part of an IMpb barcode: application identifier, three digits of service, mailer, serial, check digit. */
const IMPB = [
  // The identifier tells whether the mailer has nine digits (they start with 9) or six.
  String.raw`92\d{3}9(?:\d{16}|\d{20})`,
  String.raw`93\d{3}[0-8](?:\d{16}|\d{20})`,
  String.raw`94\d{3}(?:9(?:\d{16}|\d{20}|\d{24})|[0-8](?:\d{16}|\d{20}))`,
  String.raw`95\d{20}(?:\d{4})?`,
  // Before IMpb: Delivery and Signature Confirmation.
  String.raw`91\d{20}`,
].join('|');
const IMPB_LIKE = String.raw`9[1-5]\d{20}(?:\d{4}|\d{8}|\d{12})?`;

/** USPS may print the routing (420 and the destination's ZIP of 5 or 9 digits) before the item. */
const ROUTINGS = ['', String.raw`420\d{5}`, String.raw`420\d{9}`];

const with91 = (digits: string) => gs1(`91${digits}`);

// biome-ignore format: one form per line reads as the table it is
const USPS: readonly Format[] = ROUTINGS.flatMap((routing): Format[] => [
  ['usps', new RegExp(`^${routing}(${IMPB})$`), 95, gs1, TYPO],
  ['usps', new RegExp(`^${routing}(${IMPB_LIKE})$`), 72, gs1, TYPO],
  // Twenty digits: the older numbers, some printed without the 91 that their check digit counts.
  ['usps', new RegExp(`^${routing}(\\d{20})$`), 68, gs1],
  ['usps', new RegExp(`^${routing}(\\d{20})$`), 66, with91],
]);

/** Numbers of the posts: international items first, then what each prints at home. */
// biome-ignore format: one form per line reads as the table it is
export const POSTS: readonly Format[] = [
  ...S10_ITEMS,
  ...USPS,
  ['canada-post', /^\d{16}$/, 65, gs1],
  ['australia-post', /^33[A-Z0-9]{3}\d{18}$/, 70],
  ['australia-post', /^997\d{20}$/, 60],
  // A serial shipping container code under PostNord's company prefix.
  ['postnord', /^00(373\d{15})$/, 90, gs1, TYPO],
  ['japan-post', /^\d{12}$/, 11, mod7],
];
