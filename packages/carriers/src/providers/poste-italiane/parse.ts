import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, objectsIn, textOf } from '../../http/json.ts';
import type { ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { resolveTimeAt, yearFirst } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Poste Italiane';
const ITALY = { country: 'IT' };

/**
 * Reads the answer to one `parcel/tracking` call: an envelope with an outcome and a shipment with its history. The
 * codes of states are not public: the texts decide.
 */
export function parseTracking(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE);
  if (read.kind === 'failed') return read;
  const envelope = isObject(read.body.return) ? read.body.return : read.body;
  const code = codeOf(envelope, 'code');
  const shipments = objectsIn(envelope, 'shipment');
  const isRefused = (code !== '' && code !== '0') || textOf(envelope, 'outcome').toUpperCase() === 'KO';
  if (isRefused || shipments.length === 0) return refusal(envelope, code);
  return answerByNumber(requested, shipments, {
    provider: TITLE,
    numbersOf: (shipment) => [textOf(shipment, 'waybillNumber')],
    answerOf: (shipment) => answerFrom(listIn(shipment, 'tracking').map(scanOf), TITLE),
  });
}

function refusal(envelope: JsonObject, code: string): CarrierAnswer {
  const message = objectsIn(envelope, 'messages')
    .flatMap((each) => listIn(each, 'messages'))
    .map((each) => (isObject(each) ? `${codeOf(each, 'code')} ${textOf(each, 'message')}` : each))
    .filter((each) => typeof each === 'string')
    .join(' ');
  const outcome = outcomeOf(message || textOf(envelope, 'result'));
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} responded with ${code || 'without a shipment'}: ${message}`);
}

/** Errors by their texts: their codes are not public. */
export function outcomeOf(message: string): Failure | 'not_found' {
  if (/not found|non (?:trovat|present|esist)|no (?:data|result)|nessun/i.test(message)) return 'not_found';
  if (/token|unauthori|authenticat|autenticaz|autorizz/i.test(message)) return 'auth';
  if (/waybill|lettera di vettura|invalid|non valid|formato/i.test(message)) return 'invalid_number';
  return message === '' ? 'unreadable' : 'temporary';
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'data');
  const location = textOf(value, 'officeDescription');
  const resolved = resolveTimeAt(yearFirst(timeRaw), ITALY);
  const texts = ['StatusDescription', 'synthesisStatusDescription', 'phase'].map((name) => textOf(value, name));
  const description = texts.find((text) => text !== '') ?? '';
  // The first text that says more than that the parcel moves.
  const meaning = texts.map((text) => refined(undefined, true, text)).find((each) => each !== 'silent') ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
