import type { ScanStatus } from '@pts/core/tracking/status';
import { heard } from '../../answer/heard.ts';
import type { Meaning } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';
import { meaningOfGerman } from '../../texts/german.ts';

/** The divisions of DHL that answer, by our carrier codes: of several shipments with one number, the division's own counts. */
export const SERVICES: Readonly<Record<string, string>> = {
  dhl: 'express',
  'dhl-paket': 'parcel-de',
  'deutsche-post': 'post-de',
};

/** Where the divisions of one country report from: `parcel-pl`, `post-de`. */
export function countryOfService(service: string): string | undefined {
  const country = /^(?:parcel|post)-([a-z]{2})$/.exec(service)?.[1]?.toUpperCase();
  return country === 'UK' ? 'GB' : country;
}

/** `statusCode`, of a shipment or of an event. `unknown` says nothing. */
const STATUS_OF_CODE = new Map<string, ScanStatus>([
  ['pre-transit', 'info_received'],
  ['transit', 'in_transit'],
  ['delivered', 'delivered'],
  ['failure', 'exception'],
]);

/** What the texts say, in English and German; the first rule that matches decides. */
const STATUS_OF_TEXT: readonly (readonly [RegExp, ScanStatus])[] = [
  [/could not be delivered|not delivered|delivery (?:attempt|failed|unsuccessful)|nicht zugestellt/i, 'exception'],
  [
    /(?:ready|available|held) (?:for|to be) (?:customer |recipient )?(?:pick(?:ed)?[- ]?up|collect)|awaiting (?:customer |recipient )?(?:pick-?up|collection)|held at[^.]{0,40} for (?:pick-?up|collection)|zur abholung bereit|abholbereit/i,
    'available_for_pickup',
  ],
  [
    /with (?:the )?delivery courier|out for delivery|out with courier|loaded onto the delivery vehicle/i,
    'out_for_delivery',
  ],
  [/zustellfahrzeug|in zustellung/i, 'out_for_delivery'],
  [/information received|instruction data|electronically|label created|elektronisch angekündigt/i, 'info_received'],
  [/(?:^|\b(?:been|successfully) )delivered\b|\bwurde zugestellt|erfolgreich zugestellt/im, 'delivered'],
  [
    /on hold|held|damaged|clearance delay|exception|beschädigt|address information (?:needed|required)|(?:incorrect|incomplete) address/i,
    'exception',
  ],
];

/** The meaning of a scan: that of its code, unless the text is more precise; that of its text if it has no code. */
export function meaningOf(code: string, text: string): Meaning {
  return heard({ status: statusOf(code, text) }, text);
}

function statusOf(code: string, text: string): ScanStatus {
  const ofCode = STATUS_OF_CODE.get(code);
  if (ofCode !== undefined && ofCode !== 'in_transit') return ofCode;
  const ofText =
    STATUS_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ??
    (meaningOfGerman(text) ?? meaningOfEnglish(text))?.status ??
    'in_transit';
  // A shipment on its way is neither announced nor delivered, whatever a text says.
  if (ofCode === 'in_transit' && (ofText === 'info_received' || ofText === 'delivered')) return ofCode;
  return ofText;
}

export function isKnownCode(code: string): boolean {
  return STATUS_OF_CODE.has(code);
}
