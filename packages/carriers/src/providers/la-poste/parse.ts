import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { codeOf, isObject, type JsonObject, oneOrMore, parseObject, textOf } from '../../json.ts';
import { resolveLocalTime } from '../../local-time.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { answersByNumber, historyOf, type ReadScan, type Result } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { meaningOfEvent, outcomeOf } from './codes.ts';

const TITLE = 'La Poste';
/** Several numbers are answered with 207; a single unknown or invalid one with its own status. */
const ANSWERS = [200, 207, 400, 404];

/**
 * Reads the answer to one `idships` call: an object for one number, a list for several. Each has a `returnCode` of its own. Times
 * have an offset.
 */
export function parseIdships(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, ANSWERS);
  if (typeof body !== 'string') return asked.map(() => body);
  // A list is no object: it is wrapped in one, so that its texts are cleaned alike.
  const answer = parseObject(`{"results":${body}}`);
  const results = oneOrMore(answer?.results);
  if (results.length === 0) return asked.map(() => failed('unreadable', `${TITLE} answered something other than JSON`));
  const [only] = results;
  if (only && results.length === 1 && numberIn(only) === '') return asked.map((each) => answerOf(only, each.carrier));
  return answersByNumber(asked, results.map((result) => resultOf(result, asked)), TITLE);
}

function numberIn(result: JsonObject): string {
  return textOf(isObject(result.shipment) ? result.shipment : {}, 'idShip') || textOf(result, 'idShip');
}

function resultOf(result: JsonObject, asked: readonly Asked[]): Result {
  const number = numberIn(result);
  const carrier = asked.find((each) => each.number === number)?.carrier ?? 'la-poste';
  return { numbers: [number], answer: answerOf(result, carrier) };
}

function answerOf(result: JsonObject, carrier: string): CarrierAnswer {
  const code = codeOf(result, 'returnCode') || codeOf(result, 'code');
  const { shipment } = result;
  if (code.startsWith('20') && isObject(shipment)) {
    const events = Array.isArray(shipment.event) ? shipment.event : [];
    return historyOf(events.map((event) => scanOf(event, carrier)), TITLE);
  }
  const said = textOf(result, 'returnMessage') || textOf(result, 'message');
  if (code === '') return failed('unreadable', `${TITLE} answered a result without a code`);
  const outcome = outcomeOf(code);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${code}: ${said}`);
}

function scanOf(value: unknown, carrier: string): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'date');
  const location = textOf(value, 'country');
  const description = textOf(value, 'label');
  const resolved = resolveLocalTime(timeRaw, carrier, location);
  const meaning = meaningOfEvent(textOf(value, 'code'), description) ?? 'unspoken';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
