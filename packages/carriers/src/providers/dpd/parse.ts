import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { resolveLocalTime } from '../../local-time.ts';
import type { ResolvedTime } from '../../time-zone.ts';
import { descendants, elementAt, parseXml, textAt, type XmlElement } from '../../xml.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { answersByNumber, historyOf, type ReadScan } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { meaningOfStep, outcomeOfFault } from './codes.ts';

const TITLE = 'DPD';
const CARRIER = 'dpd';
/** SOAP answers a fault with HTTP 500. */
const ANSWERS = [200, 500];
/** The order of a date depends on the language: `8/19/2031 5:11:29 AM` in English, `19-08-2031 17:11` elsewhere. */
const TIME = /^(\d{1,4})([/.-])(\d{1,2})[/.-](\d{1,4})[ T](\d{1,2}):(\d{2})(:\d{2})?(?:\.\d{1,9})?(?: ?([AP])M)?$/i;
/** `Musterdam (NL)`. */
const COUNTRY = /\(([A-Z]{2})\)/;

/**
 * Reads the answer to one `getTrackingData` call: SOAP with a step for each status, of which those not reached yet are no scans.
 * Texts stand in an element `content` or alone. Times are local, without a zone.
 */
export function parseTrackingData(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, ANSWERS);
  if (typeof body !== 'string') return asked.map(() => body);
  const root = parseXml(body);
  const fault = root && descendants(root, 'Fault')[0];
  if (fault) return asked.map(() => refusal(fault));
  const result = root && (descendants(root, 'trackingresult')[0] ?? descendants(root, 'trackingResult')[0]);
  const isResult = root?.name.toLowerCase() === 'trackingresult';
  const results = result ? [result] : isResult ? [root] : [];
  if (results.length === 0) return asked.map(() => failed('unreadable', `${TITLE} answered without a tracking result`));
  return answersByNumber(asked, results.map(resultOf), TITLE);
}

function refusal(fault: XmlElement): CarrierAnswer {
  const [code] = descendants(fault, 'errorCode');
  const [message] = descendants(fault, 'errorMessage');
  const said = `${code?.text ?? textAt(fault, 'faultcode')} ${message?.text ?? textAt(fault, 'faultstring')}`;
  const outcome = outcomeOfFault(said);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${said}`);
}

function resultOf(result: XmlElement) {
  const steps = descendants(result, 'statusInfo').filter(isReached);
  const numbers = descendants(result, 'parcelLabelNumber').map(({ text }) => text);
  return { numbers, answer: historyOf(steps.map(scanOf), TITLE) };
}

function isReached(step: XmlElement): boolean {
  return textAt(step, 'statusHasBeenReached') !== 'false' && textOf(step, 'date') !== '';
}

/** The text of a child, wherever in it that stands. */
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
  const meaning = meaningOfStep(textAt(step, 'status'), description) ?? 'unspoken';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
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
