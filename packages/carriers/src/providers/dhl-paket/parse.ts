import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { xmlBody } from '../../answer/body.ts';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { descendants, type XmlElement } from '../../http/xml.ts';
import { destinationAt } from '../../time/destination.ts';
import { resolveLocalTime } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { type EventCodes, meaningOfEvent, meaningOfPiece, outcomeOfError } from './codes.ts';

const TITLE = 'DHL Paket';
const CARRIER = 'dhl-paket';
const HOME = { country: 'DE' };
const DATE = /^(\d{2})\.(\d{2})\.(\d{4})/;
/** Names of elements, without hyphens: the calls for businesses and for the public differ. */
const PIECE = /^piece(?:shipment|status(?:public)?)$/;
const EVENT = /^pieceevent$/;
/** `03.02.2031 08:12`, sometimes with seconds. */
const TIME = /^(\d{2})\.(\d{2})\.(\d{4}) (\d{2}:\d{2}(?::\d{2})?)$/;

/**
 * Reads the answer to one `d-get-piece-detail` call: nested `data` elements, named by their attribute `name`, with all values
 * in attributes. Times are local, without a zone. An event without a time is not a scan. A piece without events has its newest
 * one in its own attributes.
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
  if (code === '0' && error === '') return failed('unreadable', `${TITLE} answered without pieces`);
  const outcome = outcomeOfError(`${code} ${error}`);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${code}: ${error}`);
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
  const [, day, month, year] = DATE.exec(of('delivery-date')) ?? [];
  const estimatedDelivery = day ? estimateOf(`${year}-${month}-${day}`, '', HOME) : undefined;
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
  const [, day, month, year, time] = TIME.exec(timeRaw) ?? [];
  const country = of('event-country');
  const resolved = resolveLocalTime(day ? `${year}-${month}-${day} ${time}` : timeRaw, CARRIER, country);
  const texts = ['event-text', 'event-status', 'event-short-status', 'status', 'short-status'];
  const description = texts.map(of).find((text) => text !== '') ?? '';
  const location = [of('event-location'), country].filter((part) => part !== '').join(', ');
  const meaning = meaningOfEvent(codesOf(event), description) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
