import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { bodyBy, failed } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import {
  codeOf,
  isObject,
  type JsonObject,
  listIn,
  parseObject,
  parseObjects,
  partOf,
  textOf,
} from '../../http/json.ts';
import { codeTable, type ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { resolveTimeAt, yearFirst } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Correos';
const SPAIN = { country: 'ES' };

/**
 * Reads the answer to one `eventos_envio_servicio_auth` call: a list of one shipment, with an error of its own or with
 * events, whose date and time are apart, in the time of Spain.
 */
export function parseLocator(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = bodyBy(shipmentsIn, outcome, TITLE);
  if (read.kind === 'failed') return read;
  const shipments = read.body.filter((shipment) => isObject(shipment.error) || Array.isArray(shipment.eventos));
  if (shipments.length === 0) return failed('unreadable', `${TITLE} responded without a shipment`);
  return answerByNumber(requested, shipments, {
    provider: TITLE,
    numbersOf: (shipment) => [textOf(shipment, 'codEnvio')],
    answerOf,
  });
}

function shipmentsIn(text: string): JsonObject[] | null {
  const one = parseObject(text);
  return one ? [one] : parseObjects(text);
}

/** Error 0 is none; 3 and others say that there is no trace of the shipment. */
function answerOf(shipment: JsonObject): CarrierAnswer {
  const error = partOf(shipment, 'error');
  const [code, text] = [codeOf(error, 'codError') || '0', textOf(error, 'desError')];
  if (code === '0' || Array.isArray(shipment.eventos))
    return answerFrom(listIn(shipment, 'eventos').map(scanOf), TITLE);
  if (/usuario|contrase|autentic|autoriz|permiso/i.test(text))
    return failed('auth', `${TITLE} responded with ${code}: ${text}`);
  return { kind: 'not_found' };
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = `${textOf(value, 'fecEvento')} ${textOf(value, 'horEvento')}`.trim();
  const location = textOf(value, 'unidad');
  const resolved = resolveTimeAt(yearFirst(timeRaw), SPAIN);
  const description = textOf(value, 'desTextoResumen') || textOf(value, 'desTextoAmpliado');
  const known = meaningOf(textOf(value, 'codEvento'));
  const isCoarse = known === undefined || known.status === 'in_transit' || known.problem === 'failed_attempt';
  const meaning = refined(known, isCoarse, `${description}. ${textOf(value, 'desTextoAmpliado')}`);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}

/** `codEvento`, as far as they are public. */
export const meaningOf = codeTable({
  A010000V: 'in_transit', // admitted
  A090000V: 'in_transit',
  G01L010V: 'in_transit',
  H01I360V: 'in_transit',
  P040000V: 'in_transit', // sorted
  P090000V: 'in_transit',
  P100000V: 'in_transit',
  P101110V: 'in_transit',
  P101120V: 'in_transit',
  P110000V: 'in_transit',
  X020000V: 'in_transit',
  X040000V: 'in_transit',
  X060000V: 'in_transit',
  X070000V: 'in_transit',
  X110100V: 'in_transit',
  H020000V: 'out_for_delivery',
  X080000V: 'out_for_delivery',
  H01I350V: 'available_for_pickup', // at the office
  L010000V: 'available_for_pickup',
  X380000V: 'available_for_pickup',
  X390000V: 'available_for_pickup',
  I010000V: 'delivered',
  I01H210V: 'delivered',
  X120000V: 'delivered',
  H010930R: 'failed_attempt',
  H06P010V: 'failed_attempt',
  X090060R: 'failed_attempt',
  X090100R: 'failed_attempt',
  X130000R: 'failed_attempt',
  M01E020R: 'failed_attempt',
  O140000V: 'returning',
});
