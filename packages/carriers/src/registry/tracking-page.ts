import type { Carrier } from './registry.ts';

/** The pages on which carriers show a parcel; `{}` is its number. Of the others, the site is known. */
const PAGES: Readonly<Record<string, string>> = {
  ups: 'https://www.ups.com/track?tracknum={}',
  fedex: 'https://www.fedex.com/fedextrack/?trknbr={}',
  usps: 'https://tools.usps.com/go/TrackConfirmAction?tLabels={}',
  dhl: 'https://www.dhl.com/en/express/tracking.html?AWB={}',
  'dhl-paket': 'https://www.dhl.de/de/privatkunden/pakete-empfangen/verfolgen.html?piececode={}',
  'royal-mail': 'https://www.royalmail.com/track-your-item#/tracking-results/{}',
  'canada-post': 'https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor={}',
  'australia-post': 'https://auspost.com.au/mypost/track/details/{}',
  colissimo: 'https://www.laposte.fr/outils/suivre-vos-envois?code={}',
  postnord: 'https://tracking.postnord.com/en/tracking?id={}',
  dpd: 'https://tracking.dpd.de/status/en_US/parcel/{}',
  gls: 'https://gls-group.eu/track/{}',
};

/** The page of a parcel on the site of its carrier, or the site where that page is not known. */
export function carrierPage({ code, url }: Pick<Carrier, 'code' | 'url'>, number: string | null): string {
  const page = number === null ? undefined : PAGES[code];
  return page === undefined ? url : page.replace('{}', encodeURIComponent(number ?? ''));
}
