import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { jsonBody } from '../../answer/body.ts';
import { answerByNumber } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, partOf, textOf } from '../../http/json.ts';
import { isNoScan } from '../../texts/chinese-signatures.ts';
import { resolveLocalTime } from '../../time/local-time.ts';
import { tellsPlace } from '../../time/place-zone.ts';
import type { Requested } from '../manifest.ts';
import { codeOfName, isFinalState, meaningOfCode, meaningOfScan, outcomeOf } from './codes.ts';
import { carrierOf } from './companies.ts';

const TITLE = 'Kuaidi100';
const WANTS_PHONE =
  'The carrier answers only with the last four digits of the sender\'s or receiver\'s phone: send them as "phone" ' +
  'when you register the number, or with PATCH /api/v1/trackings/{id}, for example "phone": "5678". ' +
  'If you did, they belong to another phone number.';

/**
 * Reads the answer to one `poll/query` call (basic or `resultv2`, newest scan first, local times without a zone). A scan
 * has the status of its own code, or of its text if the code is coarse or missing.
 */
export function parseQuery(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE);
  return read.kind === 'failed' ? read : parseResult(read.body, requested);
}

/** Reads an answer, or the same in a callback (`lastResult`). */
export function parseResult(answer: JsonObject, requested: Requested): CarrierAnswer {
  // Refusals carry a `returnCode`, answers a `status`.
  const code = codeOf(answer, 'returnCode') || codeOf(answer, 'status');
  return code === '200' ? parseHistory(answer, requested) : refusal(code, answer);
}

function refusal(code: string, answer: JsonObject): CarrierAnswer {
  const message = textOf(answer, 'message');
  const { data } = answer;
  const outcome = outcomeOf(code, message, Array.isArray(data) && data.length === 0);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(
    outcome,
    outcome === 'needs_input' ? WANTS_PHONE : `${TITLE} answered ${code || 'no code'}: ${message}`,
  );
}

function parseHistory(answer: JsonObject, requested: Requested): CarrierAnswer {
  // No scans are an empty list or null.
  const data = answer.data === null ? [] : answer.data;
  if (!Array.isArray(data)) return failed('unreadable', `${TITLE} answered without a list of scans`);
  const listed = data.filter((value) => !isObject(value) || !isNoScan(textOf(value, 'context')));
  if (listed.length === 0) return { kind: 'not_found' };
  const carrier = carrierOf(textOf(answer, 'com')) ?? requested.carrier;
  const state = codeOf(answer, 'state');
  return answerByNumber(requested, [answer], {
    provider: TITLE,
    numbersOf: () => [textOf(answer, 'nu')],
    answerOf: () =>
      answerFrom(
        listed.map((value) => scanOf(value, carrier, state)),
        TITLE,
        {
          state: (text) => meaningOfCode(state, text),
          destination: textOf(partOf(partOf(answer, 'routeInfo'), 'to'), 'name') || undefined,
          ...(isFinalState(state) && { isWatchEnded: true }),
        },
      ),
  });
}

/** @param state of the parcel: it may deny a signature that a text tells. */
function scanOf(value: unknown, carrier: string, state: string): ReadScan | null {
  if (!isObject(value)) return null;
  const location = textOf(value, 'location') || textOf(value, 'areaName');
  const description = textOf(value, 'context');
  const place = location === '' && tellsPlace(description) ? description : location;
  const [read] = [textOf(value, 'time'), textOf(value, 'ftime')].flatMap((timeRaw) => {
    const resolved = resolveLocalTime(timeRaw, carrier, place);
    return resolved === null ? [] : [{ ...resolved, timeRaw }];
  });
  if (read === undefined) return null;
  const code = codeOf(value, 'statusCode') || codeOfName(textOf(value, 'status'));
  return { scan: { ...read, location, description }, meaning: meaningOfScan(code, description, state) };
}
