import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber } from '../../answer/answers.ts';
import { failed, xmlBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { descendants, parseXml, textAt, type XmlElement } from '../../http/xml.ts';
import { codeTable, type Meaning, type MeaningName, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveLocalTime, resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Canada Post';
const CARRIER = 'canada-post';

/**
 * Reads the answer to one `pin/{pin}/detail` call: XML, newest occurrence first. Times come with the abbreviation of
 * their zone; those from abroad without one are of the place. Errors have any HTTP status and say in `messages` what
 * they are.
 */
export function parseDetail(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const refused = outcome.kind === 'response' ? refusal(parseXml(outcome.text)) : undefined;
  if (refused) return requested.map(() => refused);
  const read = xmlBody(outcome, TITLE);
  if (read.kind === 'failed') return requested.map(() => read);
  const details = elementsNamed(read.body, 'tracking-detail');
  if (details.length === 0)
    return requested.map(() => failed('unreadable', `${TITLE} responded without tracking details`));
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
  const reason = `${textAt(message, 'code')} ${textAt(message, 'description')}`;
  const outcome = outcomeOfMessage(reason);
  if (outcome === undefined) return undefined;
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${reason}`);
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
  const code = textAt(occurrence, 'event-identifier');
  const meaning = meaningOfEvent(code, description) ?? 'silent';
  const proof = statedProof({ signedBy: textAt(occurrence, 'signatory-name') });
  const place = { locality: site ?? '', region: province ?? '', country: province ? 'CA' : '' };
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, place, code, proof };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
const codes = (meaning: MeaningName | Meaning, list: readonly string[]) => list.map((code) => [code, meaning] as const);

/** `event-identifier`, without leading zeros. */
const meaningOfCode = codeTable(
  Object.fromEntries([
    ...codes('in_transit', [...range(100, 107), ...range(1400, 1405)]),
    ...codes('out_for_delivery', ['174', '500']),
    ...codes('available_for_pickup', [
      '118',
      '156',
      '1407',
      '1410',
      ...range(1435, 1438),
      '1479',
      '1488',
      '1701',
      '2410',
    ]),
    ...codes('delivered', ['1408', '1409', ...range(1421, 1434), '1441', '1442', ...range(1496, 1499)]),
    // Held by customs, for a payment or for an address: the text says which.
    ...codes('exception', [
      '117',
      '120',
      '121',
      '125',
      '127',
      '810',
      '1411',
      '1414',
      '1443',
      '1484',
      '1487',
      '1494',
      '2411',
      '2414',
      '4700',
    ]),
    ...codes('delayed', [...range(159, 163), '172', '173', '2412']),
    // Not delivered.
    ...codes('failed_attempt', [
      '154',
      '167',
      '168',
      '169',
      '179',
      ...range(181, 184),
      '190',
      '1100',
      ...range(1417, 1420),
      '1450',
    ]),
    // Any kind: the text says which.
    ...codes('exception', [...range(1481, 1483), ...range(1491, 1493), '2600', '2802', '3001', '4650']),
    ...codes(REFUSED, ['150', '1415', '1416']),
  ]),
);

/** The image of the signature, after the fact. */
const INFORMATIONAL: ReadonlySet<string> = new Set(['20', '21']);

/**
 * The meaning of an event by its code, otherwise by its English text. The text of an exception says whether the item is
 * returning.
 */
export function meaningOfEvent(identifier: string, text: string): Meaning | 'informational' | undefined {
  const code = identifier.replace(/^0{1,9}/, '');
  if (INFORMATIONAL.has(code)) return 'informational';
  const known = meaningOfCode(code);
  const fromText = meaningOfText(text);
  return known === undefined || (known.status === 'exception' && fromText?.course !== undefined) ? fromText : known;
}

/** Hours that Canada Post's abbreviations are behind or ahead of UTC. */
const OFFSETS: Readonly<Record<string, string>> = {
  NST: '-03:30',
  NDT: '-02:30',
  AST: '-04:00',
  ADT: '-03:00',
  EST: '-05:00',
  EDT: '-04:00',
  CST: '-06:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
  UTC: 'Z',
  GMT: 'Z',
};

export function offsetOf(abbreviation: string): string | undefined {
  return OFFSETS[abbreviation.trim().toUpperCase()];
}

/** Errors, by code and description. A number without history may be too new. */
const OUTCOME_OF_MESSAGE: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/^(?:004|404) |no pin history|not found/i, 'not_found'],
  [/rejected by slm|throttl/i, 'rate_limited'],
  [/^(?:E002|AA\d{3}) |authenti|authoriz/i, 'auth'],
  [/invalid|not valid|facet|must be|\bformat/i, 'invalid_number'],
  [/^Server /i, 'transient'],
];

/** The meaning of `<code> <description>`; undefined for an unknown error. */
export function outcomeOfMessage(message: string): Failure | 'not_found' | undefined {
  return OUTCOME_OF_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
}
