import { maskChineseNames } from './mask-chinese.ts';
import { maskCodes, maskContacts } from './mask-contacts.ts';
import { maskLatinNames } from './mask-latin.ts';
import { maskOtherNames } from './mask-others.ts';

/** What is public anyway: the number of the parcel, and the place of the scan. */
export type Public = { number: string; location: string };

/**
 * A carrier's text without what identifies people: names of couriers and recipients, phone numbers, e-mail addresses, and the codes
 * that open lockers. Places, dates, numbers of parcels and the carriers' own hotlines stay. What is ambiguous is masked.
 */
export function maskText(text: string, { number, location }: Public): string {
  const plain = maskCodes(maskContacts(text, number));
  return maskLatinNames(maskOtherNames(maskChineseNames(plain)), location);
}

/** A place as a carrier wrote it, without phone numbers and e-mail addresses. */
export function maskPlace(location: string, number: string): string {
  return maskContacts(location, number);
}
