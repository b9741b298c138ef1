import { POST_OF_COUNTRY } from '../registry/registry-posts.ts';
import { type Format, gs1, mod7, s10, TYPO } from './format.ts';

/** The S10 items of a post: letters of service, nine digits with the check digit last, the country of the post. */
function itemsOf(country: string, carrier: string, letters = '[A-Z]{2}'): Format {
  return [carrier, new RegExp(`^${letters}(\\d{9})${country}$`), 100, s10, TYPO];
}

/**
 * S10 items by the country at their end. The letters of service matter only in China, where EMS is a separate carrier.
 * An item of a country that is not here has no carrier.
 */
export const S10_ITEMS: ReadonlyMap<string, readonly Format[]> = new Map<string, readonly Format[]>([
  ...[...POST_OF_COUNTRY].map(([country, carrier]) => [country, [itemsOf(country, carrier)]] as const),
  ['CN', [itemsOf('CN', 'china-ems', 'E[A-Z]'), itemsOf('CN', 'china-post', '[A-DF-Z][A-Z]')]],
]);

/** The item part of an IMpb barcode: application identifier, three digits of service, mailer, serial, check digit. */
const IMPB = [
  // The identifier shows whether the mailer has nine digits (they start with 9) or six.
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

/**
 * Serial shipping container codes (GS1): 00, a digit of the sender's, the prefix of the company, its serial and the
 * check digit. The prefix of a company begins with that of the country where it joined GS1.
 */
const CONTAINERS: readonly Format[] = [
  ...(
    [
      ['postnord', '373'],
      ['posten-norge', '370722'],
      ['poczta-polska', '.5900773'],
      ['new-zealand-post', '.9421039'],
    ] as const
  ).map(([carrier, prefix]): Format => [carrier, containerUnder(prefix), 92, gs1, TYPO]),
  ...(
    [
      ['new-zealand-post', '.94'],
      ['australia-post', '.93'],
      ['posten-norge', '.70'],
      ['postnord', '.73'],
      ['postnord', '.57'],
      ['posti', '.64'],
      ['dhl-paket', '.40'],
      ['postnl', '.87'],
      ['bpost', '.54'],
      ['swiss-post', '.76'],
      ['austrian-post', '.90'],
      ['austrian-post', '.91'],
      ['poczta-polska', '.590'],
      ['correos-spain', '.84'],
      ['ctt', '.560'],
      ['poste-italiane', '.80'],
    ] as const
  ).map(([carrier, prefix]): Format => [carrier, containerUnder(prefix), 62, gs1]),
];

/** The containers whose digits begin like this; a dot stands for any digit. */
function containerUnder(prefix: string): RegExp {
  return new RegExp(`^00(${prefix.replace('.', String.raw`\d`)}\\d{${18 - prefix.length}})$`);
}

/** Three letters with which numbers of other carriers begin: with digits missing, they would look like consignments. */
const NOT_OTHERS =
  '(?!BXA|BYS|CGK|CRG|DP[A-Z]|GFU|J[DN]|KE[RX]|LEX|LP|LTN|LX|NIN|NV|PAS|S[FT]|SPX|SY|TB[ACM]|TSA|UPA|UUS|WNB|YT)';
const with91 = (digits: string) => gs1(`91${digits}`);

// biome-ignore format: one form per line is readable as a table
const USPS: readonly Format[] = ROUTINGS.flatMap((routing): Format[] => [
  ['usps', new RegExp(`^${routing}(${IMPB})$`), 95, gs1, TYPO],
  ['usps', new RegExp(`^${routing}(${IMPB_LIKE})$`), 72, gs1, TYPO],
  // Twenty digits: the older numbers, some printed without the 91 that their check digit counts.
  // Behind 00 stands a serial shipping container code (`CONTAINERS`).
  ['usps', new RegExp(`^${routing}((?!00)\\d{20})$`), 68, gs1],
  ['usps', new RegExp(`^${routing}((?!00)\\d{20})$`), 66, with91],
]);

/** The formats that the posts print at home; their international items are in `S10_ITEMS`. */
// biome-ignore format: one form per line is readable as a table
export const POSTS: readonly Format[] = [
  ...USPS,
  ...CONTAINERS,
  ['canada-post', /^\d{16}$/, 65, gs1],
  ['australia-post', /^33[A-Z0-9]{3}\d{18}$/, 70],
  // An article: the sender's code of three or five characters, the serial, the number of the article and its service. A
  // consignment: code and serial.
  ['australia-post', /^(?:[A-IK-Z][A-Z]{2}|[A-Z]\d[A-Z0-9]|\d[A-Z][A-Z0-9]|\d\d[A-Z])\d{18}$/, 60],
  ['australia-post', /^\d\d[A-Z]{3}\d{18}$|^\d\d[A-Z]{2}\d{19}$/, 55],
  ['australia-post', new RegExp(`^${NOT_OTHERS}(?:\\d[A-Z]{2}|[A-Z]\\d[A-Z]|[A-Z]{3})\\d{7}$`), 40],
  ['australia-post', /^997\d{20}$/, 60],
  ['australia-post', /^997\d{9}$/, 30],
  ['postnord', /^\d{11}SE$/, 80],
  ['postnord', /^(373\d{15})$/, 80, gs1, TYPO],
  ['posten-norge', /^(370722\d{12})$/, 90, gs1, TYPO],
  ['postnl', /^3S[A-Z]{4}\d{6,10}$/, 92],
  ['postnl', /^3S[A-Z0-9]{4,6}\d{6,9}$/, 85],
  ['poczta-polska', /^PX\d{10}$/, 80],
  ['pos-malaysia', /^MYPM\d{11}$/, 85],
  ['bpost', /^323[0-9]\d{20}$/, 80],
  ['bpost', /^32\d{22}$/, 45],
  ['bpost', /^323[0-9]\d{14}$/, 65],
  ['austrian-post', /^10\d{20}$/, 60],
  // YTO's old waybills also begin with 99.
  ['swiss-post', /^99\d{16}$/, 47],
  ['swiss-post', /^98\d{16}$/, 40],
  ['posti', /^JJFI\d{17}$/, 95],
  ['correos-spain', /^P[A-Z][A-Z0-9]{4}\d{16}[A-Z]$/, 88],
  ['poste-italiane', /^[1-3]UW[A-Z0-9]{10}$/, 75],
  ['poste-italiane', /^2IMA\d{10}$/, 80],
  ['poste-italiane', /^5P[A-Z0-9]{11}$/, 55],
  ['poste-italiane', /^RA\d{11}$/, 50],
  ['la-poste', /^(?:1[A-Z]|2[CDL]|3C)\d{11}$/, 38],
  ['korea-post', /^6[0-57-9]\d{11}$/, 48],
  ['korea-post', /^\d{13}$/, 9],
  ['ukrposhta', /^05\d{11}$/, 66],
  // The index of the office, the month and the serial.
  ['russian-post', /^[1-6]\d{13}$/, 25, gs1],
  ['czech-post', /^(?:BA|DR)\d{10}[A-Z]$/, 86],
  ['czech-post', /^[BDNR][A-Z]\d{10}[A-Z]$/, 55],
  ['haypost', /^[A-Z]{3}\d{9}AM$/, 86],
  ['pos-indonesia', /^\d{11}$/, 9],
  // Yamato and Sagawa have the same form and check digit.
  ['japan-post', /^\d{12}$/, 19, mod7],
];
