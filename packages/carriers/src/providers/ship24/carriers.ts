import { carriers } from '../../registry/registry.ts';
import { slugs } from '../../registry/slugs.ts';

/** Ship24's `courierCode` of our carriers; it finds most by the number and needs none. */
const NAMED: Readonly<Record<string, string>> = {
  usps: 'us-post',
  'china-post': 'cn-post',
  'la-poste': 'fr-post',
  'royal-mail': 'gb-post',
  'canada-post': 'ca-post',
  'australia-post': 'au-post',
  'japan-post': 'jp-post',
  ups: 'ups',
  fedex: 'fedex',
  dhl: 'dhl',
};

/** The carriers that Ship24 serves, and its codes; '' where it finds the carrier by the number. */
export const COURIERS = slugs(
  Object.fromEntries(carriers({ sandbox: false }).map(({ code }) => [code, NAMED[code] ?? ''])),
);

/** The country of a post's code, which begins with it (`us-post`); '' for other codes. */
export function countryOf(courierCode: string): string {
  return /^([a-z]{2})-post$/.exec(courierCode)?.[1]?.toUpperCase() ?? '';
}
