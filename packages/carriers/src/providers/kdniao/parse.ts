import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { codeOf, isObject, textOf } from '../../json.ts';
import { resolveLocalTime } from '../../local-time.ts';
import { answerFrom, answersByNumber, type ReadScan } from '../answers.ts';
import { jsonBody } from '../body.ts';
import { failed } from '../failure.ts';
import type { Asked } from '../manifest.ts';
import { meaningOfCode, meaningOfParcel, meaningOfTrace, outcomeOfReason } from './codes.ts';

const TITLE = 'Kdniao';
const WANTS_PHONE =
  'The carrier answers only with the last four digits of the sender\'s or receiver\'s phone: send them as "phone" ' +
  'when you register the number, for example "phone": "5678". If you did, they belong to another phone number.';

/** Reads the answer to one query: one number, oldest scan first, local times without a zone. */
export function parseTraces(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = jsonBody(outcome, TITLE);
  if (body.kind === 'failed') return asked.map(() => body);
  const answer = body.body;
  const { Traces: traces } = answer;
  const isEmpty = !Array.isArray(traces) || traces.length === 0;
  const reason = textOf(answer, 'Reason');
  if (isEmpty && answer.Success !== true) return asked.map(() => refusal(reason));
  if (!Array.isArray(traces)) return asked.map(() => failed('unreadable', `${TITLE} answered without a list of scans`));
  if (isEmpty) return asked.map(() => ({ kind: 'not_found' }));
  const carrier = asked[0]?.carrier ?? '';
  const read = traces.map((trace) => scanOf(trace, carrier));
  const newest = read.reduce((best, next) => (best && next && next.scan.time >= best.scan.time ? next : best), read[0]);
  const ofParcel = meaningOfParcel(codeOf(answer, 'State'), codeOf(answer, 'StateEx'), newest?.scan.description ?? '');
  const results = [{ numbers: [textOf(answer, 'LogisticCode')], answer: answerFrom(read, TITLE, { ofParcel }) }];
  return answersByNumber(asked, results, TITLE);
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
  const isCoarse = meaningOfCode(action, description) === undefined;
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, isCoarse };
}
