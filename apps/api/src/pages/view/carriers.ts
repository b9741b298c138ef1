import { type Carrier, carrierPage, findCarrier } from '@pts/carriers/registry/registry';
import { type HandOver, handOverIn } from '@pts/carriers/texts/hand-over';
import type { Language } from '@pts/core/languages/texts';
import type { PageRecord } from '@pts/db/pages';

/** A carrier of a parcel: its name, the number there if it is known, and its own page. */
export type ShownCarrier = { name: string; number: string | null; url: string };

/** The carrier, and after a hand-over the next one. None while it is not known, or if the shop does not show it. */
export function carriersOf(record: PageRecord, language: Language): ShownCarrier[] {
  const { carrier, trackingNumber, isUndecided, hideCarrier, scans } = record;
  const own = findCarrier(carrier, { sandbox: true });
  if (hideCarrier || isUndecided || own === undefined) return [];
  const first = shown(own, trackingNumber, language);
  const handOver = scans.reduce<HandOver | null>((found, { description }) => handOverIn(description) ?? found, null);
  const next = handOver === null ? undefined : findCarrier(handOver.carrier, { sandbox: false });
  if (handOver === null || next === undefined || next.code === carrier) return [first];
  return [first, shown(next, handOver.number, language)];
}

function shown(carrier: Carrier, number: string | null, language: Language): ShownCarrier {
  const { name, nameZh } = carrier;
  return { name: language === 'zh' ? nameZh : name, number, url: carrierPage(carrier, number) };
}
