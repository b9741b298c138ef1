import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, xmlBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { descendants, type XmlElement } from '../../http/xml.ts';
import { codeTable, GOING_BACK, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { refinedByText } from '../../texts/refine.ts';
import { destinationAt, placeText } from '../../time/place.ts';
import { estimateOf, resolveLocalTime, yearFirst } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'DHL Paket';
const CARRIER = 'dhl-paket';
const HOME = { country: 'DE' };
/** Names of elements, without hyphens: the calls for businesses and for the public differ. */
const PIECE = /^piece(?:shipment|status(?:public)?)$/;
const EVENT = /^pieceevent$/;

/**
 * Reads the answer to one `d-get-piece-detail` call: nested `data` elements, named by their attribute `name`, with all
 * values in attributes. Times are local, without a zone. An event without a time is not a scan. A piece without events
 * has its newest one in its own attributes.
 */
export function parsePieces(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = xmlBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const root = read.body;
  const pieces = named(root, PIECE);
  if (pieces.length > 0) return answersByNumber(requested, pieces, { provider: TITLE, numbersOf, answerOf });
  const { code = '0', error = '' } = root.attributes;
  return refusedCall(requested, refusal(code, error));
}

function named(element: XmlElement, name: RegExp): XmlElement[] {
  return descendants(element, 'data').filter(({ attributes }) =>
    name.test((attributes.name ?? '').replaceAll('-', '')),
  );
}

function refusal(code: string, error: string): CarrierAnswer {
  if (code === '0' && error === '') return failed('unreadable', `${TITLE} responded without pieces`);
  const outcome = outcomeOfError(`${code} ${error}`);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} responded with ${code}: ${error}`);
}

function numbersOf({ attributes }: XmlElement): string[] {
  return ['piece-code', 'searched-piece-code', 'piece-identifier'].map((name) => attributes[name] ?? '');
}

function answerOf(piece: XmlElement): CarrierAnswer {
  const of = (name: string) => piece.attributes[name] ?? '';
  const error = [of('error-status'), of('piece-status')].find((code) => code !== '' && code !== '0');
  if (error !== undefined) {
    return refusal(error, of('piece-status-desc') || of('status') || of('short-status'));
  }
  const listed = named(piece, EVENT);
  const events = (listed.length > 0 ? listed : [piece]).filter((event) => timeIn(event) !== '');
  const state = meaningOfPiece(of('delivery-event-flag') === '1', codesOf(piece));
  const estimatedDelivery = estimateOf(yearFirst(of('delivery-date')).slice(0, 10), '', HOME);
  const destination = destinationAt({ country: of('dest-country') });
  return answerFrom(events.map(scanOf), TITLE, { state, estimatedDelivery, ...destination });
}

/** The time of an event, or of the newest event of a piece. */
function timeIn({ attributes }: XmlElement): string {
  const names = ['event-timestamp', 'status-timestamp', 'last-event-timestamp'];
  return names.map((name) => attributes[name] ?? '').find((time) => time !== '') ?? '';
}

function codesOf({ attributes }: XmlElement): EventCodes {
  const of = (name: string) => (attributes[name] ?? '').toUpperCase();
  return {
    ice: of('ice'),
    ric: of('ric'),
    standard: of('standard-event-code'),
    isReturn: of('ruecksendung') === 'TRUE',
  };
}

function scanOf(event: XmlElement): ReadScan | null {
  const of = (name: string) => event.attributes[name] ?? '';
  const timeRaw = timeIn(event);
  const country = of('event-country');
  const resolved = resolveLocalTime(yearFirst(timeRaw), CARRIER, country);
  const texts = ['event-text', 'event-status', 'event-short-status', 'status', 'short-status'];
  const description = texts.map(of).find((text) => text !== '') ?? '';
  const codes = codesOf(event);
  const meaning = meaningOfEvent(codes, description) ?? 'silent';
  const place = { locality: of('event-location'), country };
  const location = placeText(place);
  const code = [codes.ice, codes.ric].filter((part) => part !== '').join('/');
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, place, code };
}

/** `ice`: the international event code. */
const meaningOfIce = codeTable({
  PARCV: 'info_received', // data received
  SHRCU: 'in_transit', // received from the sender
  PCKDU: 'in_transit', // collected
  LDTMV: 'in_transit', // loaded for transport
  ULFMV: 'in_transit', // unloaded
  SRTED: 'in_transit', // sorted, or loaded into the delivery vehicle
  DLVRD: 'delivered',
  NDELV: 'failed_attempt',
  NTDEL: 'failed_attempt',
  DLVRF: 'failed_attempt',
  DMGDS: 'damaged',
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
  ZN: 'failed_attempt',
  ZF: 'available_for_pickup', // in a post office
});

/** Reasons (`ric`) that say where a parcel was left. */
const POINTS: ReadonlySet<string> = new Set(['PCKST', 'PKBOX', 'SERPT']);
/** The receiver was there. */
const COLLECTED = /abgeholt|has (?:picked up|collected)/i;
export type EventCodes = { ice: string; ric: string; standard: string; isReturn: boolean };

/**
 * The meaning of an event. Codes are coarse: a delivery may be one to a parcel shop or to customs, and sorting the
 * loading of the delivery vehicle, so a text that says more takes precedence.
 */
export function meaningOfEvent({ ice, ric, standard, isReturn }: EventCodes, text: string): Meaning | undefined {
  const coded = meaningOfStandard(standard) ?? meaningOfIce(ice);
  const fromText = meaningOfText(text);
  const own = ice === 'DLVRD' ? delivery(ric, text, fromText) : (fromText ?? coded);
  if (!isReturn) return own;
  return own?.status === 'delivered' ? { status: 'returned' } : GOING_BACK;
}

function delivery(ric: string, text: string, fromText: Meaning | undefined): Meaning {
  if (fromText?.status === 'available_for_pickup' || fromText?.status === 'returned') return fromText;
  const isAtPoint = POINTS.has(ric) && !COLLECTED.test(text);
  return refinedByText({ status: isAtPoint ? 'available_for_pickup' : 'delivered' }, text);
}

/** The state of the piece: `delivery-event-flag` does not count a delivery to customs. */
export function meaningOfPiece(isDelivered: boolean, codes: EventCodes): Meaning | undefined {
  if (isDelivered) return { status: codes.isReturn ? 'returned' : 'delivered' };
  return meaningOfStandard(codes.standard) ?? (codes.ice === 'DLVRD' ? undefined : meaningOfIce(codes.ice));
}

/** The meaning of an error, by its number and its text in German or English. */
const OUTCOME_OF_ERROR: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/^[12]00 |no data|keine Daten|not found|nicht gefunden|keine Informationen|no information/i, 'not_found'],
  [/^5 |login|password|passwort|appname|authenti|zugang/i, 'auth'],
  [/rate limit|quota|too many|zu viele/i, 'rate_limited'],
  [/^41 |invalid|ungültig|wrong|falsch/i, 'invalid_number'],
];

export function outcomeOfError(error: string): Failure | 'not_found' {
  return OUTCOME_OF_ERROR.find(([pattern]) => pattern.test(error))?.[1] ?? 'temporary';
}
