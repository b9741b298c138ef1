import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';
import { meaningOfGerman } from '../../texts/german.ts';

/** `ice`: the international event code. */
const meaningOfIce = codeTable({
  PARCV: 'info_received', // data received
  SHRCU: 'in_transit', // received from the sender
  PCKDU: 'in_transit', // collected
  LDTMV: 'in_transit', // loaded for transport
  ULFMV: 'in_transit', // unloaded
  SRTED: 'in_transit', // sorted, or loaded into the delivery vehicle
  DLVRD: 'delivered',
  NDELV: 'exception',
  NTDEL: 'exception',
  DLVRF: 'exception', // delivery failed
  DMGDS: 'exception', // damaged
  HLDCC: 'available_for_pickup', // held for collection
  RETRN: GOING_BACK,
});

/** `standard-event-code`: finer than `ice`, if present. */
const meaningOfStandard = codeTable({
  VA: 'info_received', // announced
  ES: 'in_transit', // handed in
  AE: 'in_transit', // collected
  AA: 'in_transit', // left the parcel centre of origin
  EE: 'in_transit', // arrived in the parcel centre of destination
  PO: 'out_for_delivery',
  ZU: 'delivered',
  ZN: 'exception', // not delivered
  ZF: 'available_for_pickup', // in a post office
});

/** Reasons (`ric`) that say where a parcel was left. */
const POINTS: ReadonlySet<string> = new Set(['PCKST', 'PKBOX', 'SERPT']);
/** The receiver was there. */
const COLLECTED = /abgeholt|has (?:picked up|collected)/i;
/** Left with customs, which is coded like a delivery. */
const CUSTOMS = /\bZoll|\bcustoms\b/i;

export type EventCodes = { ice: string; ric: string; standard: string; isReturn: boolean };

/**
 * The meaning of an event. Codes are coarse: a delivery may be one to a parcel shop or to customs, and sorting the loading of the
 * delivery vehicle, so a text that says more takes precedence.
 */
export function meaningOfEvent({ ice, ric, standard, isReturn }: EventCodes, text: string): Meaning | undefined {
  const coded = meaningOfStandard(standard) ?? meaningOfIce(ice);
  const fromText = meaningOfGerman(text) ?? meaningOfEnglish(text);
  const own = ice === 'DLVRD' ? delivery(ric, text, fromText) : (fromText ?? coded);
  if (!isReturn) return own;
  return own?.status === 'delivered' ? { status: 'returned' } : GOING_BACK;
}

function delivery(ric: string, text: string, fromText: Meaning | undefined): Meaning {
  if (CUSTOMS.test(text)) return { status: 'in_transit' };
  if (fromText?.status === 'available_for_pickup' || fromText?.status === 'returned') return fromText;
  if (COLLECTED.test(text)) return { status: 'delivered' };
  return { status: POINTS.has(ric) ? 'available_for_pickup' : 'delivered' };
}

/** The state of the piece: `delivery-event-flag` does not count a delivery to customs. */
export function meaningOfPiece(isDelivered: boolean, codes: EventCodes): Meaning | undefined {
  if (isDelivered) return { status: codes.isReturn ? 'returned' : 'delivered' };
  return meaningOfStandard(codes.standard) ?? (codes.ice === 'DLVRD' ? undefined : meaningOfIce(codes.ice));
}

/** What an error means, by its number and its text in German or English. */
const OUTCOME_OF_ERROR: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/^[12]00 |no data|keine Daten|not found|nicht gefunden|keine Informationen|no information/i, 'not_found'],
  [/^5 |login|password|passwort|appname|authenti|zugang/i, 'auth'],
  [/rate limit|quota|too many|zu viele/i, 'rate_limited'],
  [/^41 |invalid|ungültig|wrong|falsch/i, 'invalid_number'],
];

export function outcomeOfError(error: string): Failure | 'not_found' {
  return OUTCOME_OF_ERROR.find(([pattern]) => pattern.test(error))?.[1] ?? 'temporary';
}
