import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber } from '../../answer/answers.ts';
import { failed, xmlBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { descendants, elementAt, textAt, type XmlElement } from '../../http/xml.ts';
import { codeTable, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { type ResolvedTime, resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'DPD';
const CARRIER = 'dpd';
/** SOAP answers a fault with HTTP 500. */
const ANSWERS = [200, 500];
/** The order of a date depends on the language: `8/19/2031 5:11:29 AM` in English, `19-08-2031 17:11` elsewhere. */
const TIME = /^(\d{1,4})([/.-])(\d{1,2})[/.-](\d{1,4}),?[ T](\d{1,2}):(\d{2})(:\d{2})?(?:\.\d{1,9})?(?: ?([AP])M)?$/i;
/** `Musterdam (NL)`. */
const COUNTRY = /\(([A-Z]{2})\)/;

/**
 * Reads the answer to one `getTrackingData` call: SOAP with a step for each status, of which those not reached yet are
 * not scans. Texts are in an element `content` or directly in the element. Times are local, without a zone.
 */
export function parseTrackingData(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = xmlBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return requested.map(() => read);
  const root = read.body;
  const fault = faultIn(root);
  if (fault !== undefined) return requested.map(() => refusal(fault));
  const results = [root, ...descendants(root, 'trackingresult'), ...descendants(root, 'trackingResult')].filter(
    ({ name }) => name.toLowerCase() === 'trackingresult',
  );
  if (results.length === 0)
    return requested.map(() => failed('unreadable', `${TITLE} responded without a tracking result`));
  return answersByNumber(requested, results, { provider: TITLE, numbersOf, answerOf });
}

/** Whether a call was refused because its token has expired. */
export function isTokenRefused(outcome: HttpOutcome): boolean {
  const read = xmlBody(outcome, TITLE, ANSWERS);
  const fault = read.kind === 'failed' ? undefined : faultIn(read.body);
  return fault !== undefined && outcomeOfFault(fault) === 'auth';
}

/** Code and text of a SOAP fault; undefined for an answer without one. */
export function faultIn(root: XmlElement): string | undefined {
  const [fault] = descendants(root, 'Fault');
  if (!fault) return undefined;
  const [code] = descendants(fault, 'errorCode');
  const [message] = descendants(fault, 'errorMessage');
  return `${code?.text ?? textAt(fault, 'faultcode')} ${message?.text ?? textAt(fault, 'faultstring')}`;
}

function refusal(fault: string): CarrierAnswer {
  const outcome = outcomeOfFault(fault);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${fault}`);
}

function numbersOf(result: XmlElement): string[] {
  return descendants(result, 'parcelLabelNumber').map(({ text }) => text);
}

function answerOf(result: XmlElement): CarrierAnswer {
  return answerFrom(descendants(result, 'statusInfo').filter(isReached).map(scanOf), TITLE);
}

function isReached(step: XmlElement): boolean {
  return textAt(step, 'statusHasBeenReached') !== 'false' && textOf(step, 'date') !== '';
}

/** The text of a child, at any depth. */
function textOf(step: XmlElement, name: string): string {
  const child = elementAt(step, name);
  return child ? allText(child) : '';
}

function allText({ text, children }: XmlElement): string {
  return [text, ...children.filter(({ name }) => name === 'content').map(allText)]
    .filter((part) => part !== '')
    .join(' ');
}

function scanOf(step: XmlElement): ReadScan | null {
  const timeRaw = textOf(step, 'date');
  const location = textOf(step, 'location');
  const description = textOf(step, 'description') || textOf(step, 'label');
  const resolved = timeOf(timeRaw, location);
  const code = textAt(step, 'status');
  const meaning = meaningOfStep(code, description) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, code };
}

function timeOf(text: string, location: string): ResolvedTime | null {
  const [, first = '', separator, second = '', third = '', hour = '', minute, seconds = '', half] =
    TIME.exec(text) ?? [];
  const isMonthFirst = separator === '/' && Number(first) <= 12;
  const [year, month, day] =
    first.length === 4 ? [first, second, third] : isMonthFirst ? [third, first, second] : [third, second, first];
  const hours = half ? (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0) : Number(hour);
  const country = COUNTRY.exec(location)?.[1] ?? '';
  return resolveLocalTime(`${year}-${month}-${day} ${hours}:${minute}${seconds}`, CARRIER, country);
}

/** `status` of a step. */
const meaningOfStatus = codeTable({
  PreAdvice: 'info_received',
  PickedUp: 'in_transit',
  BetweenDepots: 'in_transit',
  Depot: 'in_transit',
  Courier: 'out_for_delivery',
  DeliveryFailure: 'failed_attempt',
  ParcelShop: 'available_for_pickup',
  ReturningFromDelivery: 'in_transit', // back at the depot, to be delivered again
  Delivered: 'delivered',
});

/** The meaning of a step. The text says where it was delivered to, and whether a failed delivery was refused. */
export function meaningOfStep(status: string, text: string): Meaning | undefined {
  const known = meaningOfStatus(status);
  const fromText = meaningOfText(text);
  if (known === undefined) return fromText;
  const isRefined =
    (known.status === 'delivered' &&
      (fromText?.status === 'available_for_pickup' || fromText?.status === 'returned')) ||
    (known.status === 'exception' && fromText?.course !== undefined);
  return isRefined ? fromText : known;
}

/** A SOAP fault, by its code and text. */
const OUTCOME_OF_FAULT: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/AUTHENTICATION|LOGIN|TOKEN|ACCESS/i, 'auth'],
  [/NOT[ _]?FOUND|NO[ _]?DATA|UNKNOWN[ _]?PARCEL|no parcel/i, 'not_found'],
  [/WRONG[ _]?FORMAT|INVALID|parcel ?label ?number/i, 'invalid_number'],
  [/LIMIT|TOO_?MANY/i, 'rate_limited'],
];

export function outcomeOfFault(fault: string): Failure | 'not_found' {
  return OUTCOME_OF_FAULT.find(([pattern]) => pattern.test(fault))?.[1] ?? 'transient';
}
