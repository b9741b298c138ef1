import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { xmlBody } from '../../answer/body.ts';
import { answersByNumber } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { descendants, parseXml, textAt, type XmlElement } from '../../http/xml.ts';
import { destinationAt } from '../../time/destination.ts';
import { resolveLocalTime } from '../../time/local-time.ts';
import { resolveTime } from '../../time/time-zone.ts';
import type { Requested } from '../manifest.ts';
import { meaningOfEvent, offsetOf, outcomeOfMessage } from './codes.ts';

const TITLE = 'Canada Post';
const CARRIER = 'canada-post';

/**
 * Reads the answer to one `pin/{pin}/detail` call: XML, newest occurrence first. Times come with the abbreviation of their zone;
 * those from abroad without one are of the place. Errors have any HTTP status and say in `messages` what they are.
 */
export function parseDetail(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const refused = outcome.kind === 'response' ? refusal(parseXml(outcome.text)) : undefined;
  if (refused) return requested.map(() => refused);
  const read = xmlBody(outcome, TITLE);
  if (read.kind === 'failed') return requested.map(() => read);
  const details = elementsNamed(read.body, 'tracking-detail');
  if (details.length === 0)
    return requested.map(() => failed('unreadable', `${TITLE} answered without tracking details`));
  return answersByNumber(requested, details, {
    provider: TITLE,
    numbersOf: (detail) => [textAt(detail, 'pin')],
    answerOf,
  });
}

function elementsNamed(root: XmlElement, name: string): readonly XmlElement[] {
  return root.name === name ? [root] : descendants(root, name);
}

function refusal(root: XmlElement | null): CarrierAnswer | undefined {
  const message = root ? elementsNamed(root, 'messages').flatMap((each) => descendants(each, 'message'))[0] : undefined;
  if (!message) return undefined;
  const said = `${textAt(message, 'code')} ${textAt(message, 'description')}`;
  const outcome = outcomeOfMessage(said);
  if (outcome === undefined) return undefined;
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${said}`);
}

function answerOf(detail: XmlElement): CarrierAnswer {
  const expected = textAt(detail, 'changed-expected-date') || textAt(detail, 'expected-delivery-date');
  const estimatedDelivery = estimateOf(expected, '', { country: 'CA' });
  const goesTo = textAt(detail, 'destination-postal-id');
  return answerFrom(descendants(detail, 'occurrence').map(scanOf), TITLE, {
    estimatedDelivery,
    ...destinationAt(goesTo === '' ? {} : { locality: goesTo, country: 'CA' }),
  });
}

function scanOf(occurrence: XmlElement): ReadScan | null {
  const [date, time, zone] = ['event-date', 'event-time', 'event-time-zone'].map((name) => textAt(occurrence, name));
  const [site, province] = ['event-site', 'event-province'].map((name) => textAt(occurrence, name));
  const local = `${date} ${time || '00:00:00'}`;
  const timeRaw = `${local} ${zone}`.trim();
  const location = [site, province].filter(Boolean).join(', ');
  const offset = offsetOf(zone ?? '');
  const resolved =
    offset === undefined ? resolveLocalTime(local, CARRIER, location) : resolveTime(`${local} ${offset}`);
  const description = textAt(occurrence, 'event-description');
  const meaning = meaningOfEvent(textAt(occurrence, 'event-identifier'), description) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
