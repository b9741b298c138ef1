import { courseOf } from '../tracking/derive.ts';
import type { Scan } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';

/** What is wrong with a parcel in trouble; `exception` if neither the scan's kind nor its text says more. */
export const PROBLEMS = ['delivery_failed', 'refused', 'address', 'customs', 'returning', 'exception'] as const;
export type Problem = (typeof PROBLEMS)[number];

/** The states that have a problem. A parcel that is back at its sender has none any more. */
export const PROBLEM_STATES = ['exception', 'undeliverable'] as const satisfies readonly SubStatus[];

const CUSTOMS =
  /customs|clearance|import (?:duty|duties|tax)|清关|海关|通关|报关|关税|\bZoll|Verzollung|douan|aduana|dogan|alf[âa]ndega|税関|통관/i;
const ADDRESS_FAULT =
  /(?:wrong|incorrect|incomplete|insufficient|invalid|bad|unknown|missing) (?:delivery |street |house )?(?:address|street|house number)|address(?:ing)? (?:is |was )?(?:wrong|incorrect|incomplete|insufficient|invalid|unknown|missing|not found|error|problem|issue|correction)|addressing error|no such (?:address|number|street)|addressee (?:unknown|gone|has moved|moved)|moved away/i;
const ADDRESS_FAULT_ELSEWHERE =
  /地址(?:不详|错误|有误|不清|不全|不完整|异常|不符)|查无此(?:人|地址)|Adresse (?:ist )?(?:fehlerhaft|unvollständig|falsch|unbekannt)|Empfänger (?:konnte )?nicht ermittelt|unbekannt verzogen|adresse (?:est )?(?:incomplète|incorrecte|erronée|introuvable|inconnue)|dirección (?:incorrecta|incompleta|errónea)|indirizzo (?:errato|incompleto|sconosciuto)|endereço (?:incorreto|incompleto)|宛先不明|주소 ?(?:불명|오류)/i;
const ATTEMPT =
  /attempt|unsuccessful|not (?:at )?home|no ?(?:body|one) (?:was |is )?(?:at )?(?:home|available|there)|could(?: not|n't) (?:be )?deliver|unable to deliver|cannot be delivered|delivery (?:was )?not possible|delivery failed|failed delivery|undelivered|not delivered|no answer|(?:business|shop|office) (?:was |is )?closed/i;
const ATTEMPT_ELSEWHERE =
  /(?:派[件送]|投递|配送|送货)(?:失败|不成功|异常)|未妥投|无人(?:接|在|签|收|应)|联系不上|电话(?:无人|未)|nicht (?:angetroffen|zugestellt|erfolgreich|möglich)|Zustellversuch|fehlgeschlagen|absent|avis de passage|non livré|ausente|intento de entrega|assente|tentata consegna|tentativa de entrega|不在|부재/i;

/**
 * What is wrong with a parcel, by its history (oldest first).
 * @returns undefined unless it is in one of `PROBLEM_STATES`.
 */
export function problemOf(scans: readonly Scan[], subStatus: SubStatus): Problem | undefined {
  if (!(PROBLEM_STATES as readonly SubStatus[]).includes(subStatus)) return undefined;
  const course = courseOf(scans);
  if (course !== undefined) return course === 'refused' ? 'refused' : 'returning';
  const text = scans.findLast(isTrouble)?.description ?? '';
  if (CUSTOMS.test(text)) return 'customs';
  if (ADDRESS_FAULT.test(text) || ADDRESS_FAULT_ELSEWHERE.test(text)) return 'address';
  const isAttempt = subStatus === 'undeliverable' || ATTEMPT.test(text) || ATTEMPT_ELSEWHERE.test(text);
  return isAttempt ? 'delivery_failed' : 'exception';
}

function isTrouble({ status, parcel }: Scan): boolean {
  return [status, parcel?.status].some((state) => state === 'exception' || state === 'undeliverable');
}
