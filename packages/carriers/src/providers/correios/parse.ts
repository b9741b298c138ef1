import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { isObject, type JsonObject, listIn, oneOrMore, partOf, textOf } from '../../http/json.ts';
import { codeTable, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { estimateOf, resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Correios';
/** Times have no offset; most places of Brazil have the time of its capital. */
const BRASILIA = 'America/Sao_Paulo';

/** Reads the answer to one `objetos` call: each object with its events, or with a message instead. */
export function parseObjetos(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const { objetos } = read.body;
  if (!Array.isArray(objetos)) return refusedCall(requested, refusal(messageIn(read.body)), read.status);
  return answersByNumber(requested, oneOrMore(objetos), {
    provider: TITLE,
    numbersOf: (object) => [textOf(object, 'codObjeto')],
    answerOf,
  });
}

/** The messages of a refused call. */
function messageIn({ msgs, mensagem }: JsonObject): string {
  const listed = Array.isArray(msgs) ? msgs : [msgs ?? mensagem];
  return listed.filter((each) => typeof each === 'string').join(' ');
}

function refusal(message: string): CarrierAnswer {
  const outcome = outcomeOf(message);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} responded: ${message}`);
}

/** Messages begin with a code, for example `SRO-020`. */
export function outcomeOf(message: string): Failure | 'not_found' {
  if (/SRO-020|n[ãa]o (?:foi )?encontrado|sem eventos/i.test(message)) return 'not_found';
  if (/token|autoriza|credenci|acesso/i.test(message)) return 'auth';
  if (/inv[áa]lid|SRO-0(?:01|09|19)/i.test(message)) return 'invalid_number';
  return message === '' ? 'unreadable' : 'temporary';
}

function answerOf(object: JsonObject): CarrierAnswer {
  const events = listIn(object, 'eventos');
  const message = textOf(object, 'mensagem');
  if (events.length === 0 && message !== '') return refusal(message);
  const scans = events.map(scanOf);
  const isDelivered = scans.some((scan) => isObject(scan?.meaning) && scan.meaning.status === 'delivered');
  return answerFrom(scans, TITLE, {
    estimatedDelivery: isDelivered
      ? undefined
      : estimateOf(textOf(object, 'dtPrevista').slice(0, 10), '', { country: 'BR' }),
  });
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'dtHrCriado');
  const resolved = resolveTime(timeRaw, BRASILIA);
  const unit = partOf(value, 'unidade');
  const { cidade, uf } = partOf(unit, 'endereco');
  const place = [cidade, uf].filter((part) => typeof part === 'string' && part !== '').join(', ');
  const location = place === '' ? textOf(unit, 'nome') : `${place}, BR`;
  const detail = textOf(value, 'detalhe').trim();
  const description = textOf(value, 'descricao') + (detail === '' ? '' : `. ${detail}`);
  const meaning = meaningOfEvent(textOf(value, 'codigo'), textOf(value, 'tipo'), description);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}

/** Ends of a round (`BDE`, `BDI`, `BDR`): these types are deliveries, and the others say why there was none. */
const IS_END = /^BD[EIR]$/;
const meaningOfEnd = codeTable({
  '00': 'delivered',
  '01': 'delivered',
  67: 'delivered',
  68: 'delivered',
  70: 'delivered',
  23: 'returned',
});

/** The meaning of a code and its type. Types are many; the text tells them apart. */
export function meaningOfEvent(code: string, type: string, text: string): Meaning | 'silent' {
  const end = IS_END.test(code) ? (meaningOfEnd(type) ?? FAILED_ATTEMPT) : undefined;
  const known = end ?? meaningOf(code);
  // A round may be that to the sender.
  return refined(known, known === FAILED_ATTEMPT || COARSE.has(known?.status), text);
}

const FAILED_ATTEMPT: Meaning = { status: 'exception', problem: 'failed_attempt' };
const COARSE: ReadonlySet<string | undefined> = new Set(['in_transit', 'out_for_delivery']);

const meaningOf = codeTable({
  PO: 'in_transit', // posted
  CO: 'in_transit', // collected
  DO: 'in_transit', // forwarded
  RO: 'in_transit',
  TR: 'in_transit',
  PMT: 'in_transit',
  CD: 'in_transit',
  PAR: 'in_transit', // at customs
  OEC: 'out_for_delivery',
  LDI: 'available_for_pickup',
  BLQ: 'held',
});
