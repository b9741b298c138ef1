import type { CarrierAnswer, FailedAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, oneOrMore, textOf } from '../../http/json.ts';
import { codeTable, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Australia Post';
const CARRIER = 'australia-post';

/**
 * Reads the answer to one `track` call: one result for each number. The articles of a consignment are one level deeper
 * and are the pieces of the shipment. Events have a time with an offset, a text and no code.
 */
export function parseTrack(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const answer = read.body;
  const { tracking_results: listed } = answer;
  if (!Array.isArray(listed)) return refused(requested, refusal(answer));
  return answersByNumber(requested, oneOrMore(listed), {
    provider: TITLE,
    numbersOf: (result) => [textOf(result, 'tracking_id')],
    answerOf,
  });
}

/**
 * A call with a number that Australia Post does not have is refused as a whole: it is divided until there is but this
 * number.
 */
function refused(requested: readonly Requested[], answer: FailedAnswer): CarrierAnswer[] {
  const isUnknown = answer.failure === 'invalid_number' && requested.length === 1;
  return isUnknown ? [{ kind: 'not_found' }] : refusedCall(requested, answer);
}

function refusal(answer: JsonObject): FailedAnswer {
  const error = oneOrMore(answer.errors)[0] ?? answer;
  const { code, message } = errorIn(error);
  if (code === '') return failed('unreadable', `${TITLE} responded without results`);
  return failed(failureOfCall(`${code}: ${message}`), `${TITLE} responded with ${code}: ${message}`);
}

function errorIn(error: JsonObject): { code: string; message: string } {
  const code = codeOf(error, 'code') || codeOf(error, 'error_code') || codeOf(error, 'error');
  return { code, message: textOf(error, 'message') || textOf(error, 'error_description') || textOf(error, 'name') };
}

function answerOf(result: JsonObject): CarrierAnswer {
  const [error] = oneOrMore(result.errors);
  if (error) {
    const { code, message } = errorIn(error);
    const outcome = outcomeOfArticle(code);
    return outcome === 'not_found'
      ? { kind: 'not_found' }
      : failed(outcome, `${TITLE} responded with ${code}: ${message}`);
  }
  const items = oneOrMore(result.trackable_items);
  const articles = items.flatMap((item) => (Array.isArray(item.items) ? oneOrMore(item.items) : [item]));
  const states = articles.map((article) => textOf(article, 'status') || textOf(result, 'status'));
  const [state] = states;
  const isOne = articles.length === 1 && state !== undefined;
  const listed = articles.flatMap(eventsIn);
  // StarTrack: events of the consignment, where its articles have none.
  const consignment = isObject(result.consignment) ? result.consignment : {};
  const scans = (listed.length > 0 ? listed : eventsIn(consignment)).map(scanOf);
  if (isOne) return answerFrom(scans, TITLE, { state: meaningOfState(state) });
  const delivered = states.filter((each) => meaningOfState(each)?.status === 'delivered').length;
  return answerFrom(scans, TITLE, { pieces: { total: articles.length, delivered } });
}

function eventsIn(part: JsonObject): readonly unknown[] {
  return listIn(part, 'events');
}

function scanOf(value: unknown): ReadScan | null {
  const [event] = oneOrMore(value);
  if (!event) return null;
  const timeRaw = textOf(event, 'date');
  const location = textOf(event, 'location');
  const description = textOf(event, 'description');
  const resolved = resolveLocalTime(timeRaw, CARRIER, location);
  return (
    resolved && {
      scan: { ...resolved, timeRaw, location, description },
      meaning: meaningOfEvent(description) ?? 'silent',
    }
  );
}

/**
 * The states of an article, also of StarTrack. Those that only say that it moves (`In transit`, `Booked In`, …) are
 * left out.
 */
export const meaningOfState = codeTable({
  Created: 'info_received',
  Initiated: 'info_received',
  Sealed: 'info_received',
  Incomplete: 'info_received',
  Unconfirmed: 'info_received',
  Confirmed: 'info_received',
  'Ready for Pickup': 'info_received', // waits at the sender for StarTrack
  'On Board for Delivery': 'out_for_delivery',
  'Partial Delivery': 'out_for_delivery', // the rest is on the round
  'Awaiting collection': 'available_for_pickup',
  Delivered: 'delivered',
  'Delivered in Full': 'delivered',
  'Item Delivered': 'delivered',
  'Final Shortage': 'exception', // delivered, and some items are missing
  Deleted: 'cancelled', // by the sender
  'Article damaged': 'damaged',
  Cancelled: 'cancelled',
  'Held by courier': 'held',
  'Possible delay': 'delayed',
  'To be Re-Delivered': 'failed_attempt',
  'Unsuccessful Delivery': 'failed_attempt',
  'Unsuccessful pickup': 'exception', // of no kind
  'Cannot be delivered': 'undeliverable', // any kind
});

/** Events carry no code; some have the name of a state. */
export function meaningOfEvent(description: string): Meaning | undefined {
  return meaningOfState(description) ?? meaningOfText(description);
}

/** Errors of one article. A number that Australia Post does not have yet is called invalid as well. */
const OUTCOME_OF_ARTICLE = new Map<string, Failure | 'not_found'>([
  ['ESB-10001', 'not_found'],
  ['ESB-10002', 'invalid_number'], // not a trackable product
]);

export function outcomeOfArticle(code: string): Failure | 'not_found' {
  return OUTCOME_OF_ARTICLE.get(code) ?? 'temporary';
}

/** Errors of the whole call. 51101 (too many numbers in a call) is a fault of ours. */
const FAILURE_OF_CALL: readonly (readonly [RegExp, Failure])[] = [
  [/^5110[0123]\b/, 'unreadable'],
  [/^51104\b/, 'invalid_number'], // one of the numbers is not known
  [/429|too many requests|rate[ _]?limit|throttl|quota/i, 'rate_limited'],
  [/API_0(?:01|02|03)|auth|credential|account|client|token|40[13]/i, 'auth'],
];

/** The meaning of a call's `<code>: <message>`. */
export function failureOfCall(reason: string): Failure {
  return FAILURE_OF_CALL.find(([pattern]) => pattern.test(reason))?.[1] ?? 'transient';
}
