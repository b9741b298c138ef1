import type { CarrierAnswer, FailedAnswer } from '@pts/core/tracking/answer';
import { jsonBody } from '../../answer/body.ts';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, oneOrMore, textOf } from '../../http/json.ts';
import { resolveLocalTime } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { failureOfCall, meaningOfEvent, meaningOfState, outcomeOfArticle } from './codes.ts';

const TITLE = 'Australia Post';
const CARRIER = 'australia-post';

/**
 * Reads the answer to one `track` call: one result for each number. The articles of a consignment are one level deeper and are
 * the pieces of the shipment. Events have a time with an offset, a text and no code.
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

/** A call with a number that Australia Post does not have is refused as a whole: it is divided until there is but this number. */
function refused(requested: readonly Requested[], answer: FailedAnswer): CarrierAnswer[] {
  const isUnknown = answer.failure === 'invalid_number' && requested.length === 1;
  return isUnknown ? [{ kind: 'not_found' }] : refusedCall(requested, answer);
}

function refusal(answer: JsonObject): FailedAnswer {
  const error = oneOrMore(answer.errors)[0] ?? answer;
  const { code, message } = errorIn(error);
  if (code === '') return failed('unreadable', `${TITLE} answered without results`);
  return failed(failureOfCall(`${code}: ${message}`), `${TITLE} answered ${code}: ${message}`);
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
    return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${code}: ${message}`);
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
