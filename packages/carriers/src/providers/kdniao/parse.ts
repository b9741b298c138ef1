import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { jsonBody } from '../../answer/body.ts';
import { answersByNumber } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, textOf } from '../../http/json.ts';
import { resolveLocalTime } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { meaningOfParcel, meaningOfTrace, outcomeOfReason } from './codes.ts';

const TITLE = 'Kdniao';
const WANTS_PHONE =
  'The carrier answers only with the last four digits of the sender\'s or receiver\'s phone: send them as "phone" ' +
  'when you register the number, or with PATCH /api/v1/trackings/{id}, for example "phone": "5678". ' +
  'If you did, they belong to another phone number.';

/** Reads the answer to one query: one number, oldest scan first, local times without a zone. */
export function parseTraces(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const body = jsonBody(outcome, TITLE);
  if (body.kind === 'failed') return requested.map(() => body);
  const answer = body.body;
  // No scans are an empty list or null.
  const traces = answer.Traces === null ? [] : answer.Traces;
  const isEmpty = !Array.isArray(traces) || traces.length === 0;
  const reason = textOf(answer, 'Reason');
  if (isEmpty && answer.Success !== true) return requested.map(() => refusal(reason));
  if (!Array.isArray(traces))
    return requested.map(() => failed('unreadable', `${TITLE} answered without a list of scans`));
  if (isEmpty) return requested.map(() => ({ kind: 'not_found' }));
  return answersByNumber(requested, [answer], {
    provider: TITLE,
    numbersOf: () => [textOf(answer, 'LogisticCode')],
    answerOf: (_, { carrier }) =>
      answerFrom(
        traces.map((trace) => scanOf(trace, carrier)),
        TITLE,
        { state: (text) => meaningOfParcel(codeOf(answer, 'State'), codeOf(answer, 'StateEx'), text) },
      ),
  });
}

function refusal(reason: string): CarrierAnswer {
  const outcome = outcomeOfReason(reason);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, outcome === 'needs_input' ? WANTS_PHONE : `${TITLE} answered: ${reason || 'no reason'}`);
}

function scanOf(value: unknown, carrier: string): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'AcceptTime');
  const location = textOf(value, 'Location');
  const description = textOf(value, 'AcceptStation') || textOf(value, 'Remark');
  const action = codeOf(value, 'Action');
  const resolved = resolveLocalTime(timeRaw, carrier, location || description);
  const meaning = meaningOfTrace(action, description);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
