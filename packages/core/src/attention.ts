import { courseOf } from './tracking/derive.ts';
import type { Scan } from './tracking/scan.ts';
import type { SubStatus } from './tracking/status.ts';

/** The problems of a parcel in trouble; `exception` if neither the scan's kind nor its text says more. */
export const PROBLEMS = ['delivery_failed', 'refused', 'address', 'customs', 'returning', 'exception'] as const;
export type ParcelProblem = (typeof PROBLEMS)[number];

/** The states that have a problem. A parcel that is back at its sender has none any more. */
const PROBLEM_STATES = ['exception', 'undeliverable'] as const satisfies readonly SubStatus[];

/** Why a parcel needs somebody's attention: its problem, or what it waits for. */
export const ATTENTION_REASONS = [
  ...PROBLEMS,
  'pickup',
  'no_news',
  'not_found',
  'carrier_not_found',
  'expired',
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

/** States in which a parcel needs attention. */
export type AttentionCondition = {
  states: readonly SubStatus[];
  problem?: ParcelProblem;
  /** Its last news is at least this old, and its polling was not stopped. */
  quietDays?: number;
  /** Its last news is at most this old. */
  recentDays?: number;
  /** Whether its carrier is not known: several are possible, and none has known its number. */
  isUndecided?: boolean;
};

/** When each reason applies: under any of these conditions. This table alone decides; statements are made from it. */
export const ATTENTION_RULES: Readonly<Record<AttentionReason, readonly AttentionCondition[]>> = {
  delivery_failed: [{ states: PROBLEM_STATES, problem: 'delivery_failed' }],
  refused: [{ states: PROBLEM_STATES, problem: 'refused' }],
  address: [{ states: PROBLEM_STATES, problem: 'address' }],
  customs: [{ states: PROBLEM_STATES, problem: 'customs' }],
  returning: [{ states: PROBLEM_STATES, problem: 'returning' }],
  exception: [{ states: PROBLEM_STATES, problem: 'exception' }],
  pickup: [{ states: ['available_for_pickup'] }],
  no_news: [
    { states: ['info_received'], quietDays: 5 },
    { states: ['in_transit'], quietDays: 7 },
    { states: ['out_for_delivery'], quietDays: 2 },
  ],
  not_found: [{ states: ['pending'], quietDays: 3, isUndecided: false }],
  carrier_not_found: [{ states: ['pending'], quietDays: 3, isUndecided: true }],
  expired: [{ states: ['expired'], recentDays: 30 }],
};

/** The parts of a parcel that the rules look at. */
export type AttentionInput = {
  subStatus: SubStatus;
  /** Null if nothing more is known about it. */
  problem: ParcelProblem | null;
  isUndecided: boolean;
  /** When its last news was stored, which for a new parcel is its registration. */
  updatedAt: Date;
  /** When the merchant stopped its polling; null while it is polled. */
  stoppedAt: Date | null;
};

export type Attention = {
  reason: AttentionReason;
  /** The reason in words. */
  message: string;
};

const DAY_MS = 86_400_000;

/** Whether and why a parcel needs attention; null if it does not. */
export function attentionOf(parcel: AttentionInput, now: Date): Attention | null {
  const reason = ATTENTION_REASONS.find((each) => ATTENTION_RULES[each].some((one) => applies(one, parcel, now)));
  if (reason === undefined) return null;
  const quietDays = Math.floor((now.getTime() - parcel.updatedAt.getTime()) / DAY_MS);
  return { reason, message: WORDS[reason](quietDays) };
}

function applies(condition: AttentionCondition, parcel: AttentionInput, now: Date): boolean {
  const { states, problem, quietDays, recentDays, isUndecided } = condition;
  const quietMs = now.getTime() - parcel.updatedAt.getTime();
  return (
    states.includes(parcel.subStatus) &&
    (problem === undefined || problem === (parcel.problem ?? 'exception')) &&
    (quietDays === undefined || (quietMs >= quietDays * DAY_MS && parcel.stoppedAt === null)) &&
    (recentDays === undefined || quietMs <= recentDays * DAY_MS) &&
    (isUndecided === undefined || isUndecided === parcel.isUndecided)
  );
}

const WORDS: Readonly<Record<AttentionReason, (quietDays: number) => string>> = {
  delivery_failed: () => 'A delivery attempt failed.',
  refused: () => 'The recipient refused the parcel.',
  address: () => 'The carrier reports a problem with the address.',
  customs: () => 'The parcel is held by customs.',
  returning: () => 'The parcel is on its way back to the sender.',
  exception: () => 'The carrier reports a problem; the latest event says which.',
  pickup: () => 'The parcel waits to be picked up by the recipient.',
  no_news: (days) => `There has been no news for ${days} days.`,
  not_found: (days) => `The carrier has not known the number for ${days} days. Check the number and the carrier.`,
  carrier_not_found: (days) =>
    `No carrier that the number may belong to has known it for ${days} days. Check the number, or name its carrier.`,
  expired: () => 'There was no news for 30 days; the parcel is no longer checked.',
};

/** The description, in words, that holds for every parcel with this reason. */
export const REASON_TEXTS: Readonly<Record<AttentionReason, string>> = {
  delivery_failed: 'a delivery attempt failed',
  refused: 'the recipient refused it',
  address: 'the carrier reports a problem with the address',
  customs: 'customs holds it',
  returning: 'it is on its way back to the sender',
  exception: 'the carrier reports another problem',
  pickup: 'it waits at a pickup point',
  no_news: `no news ${quietText('no_news')}`,
  not_found: `the carrier has not known the number ${quietText('not_found')}`,
  carrier_not_found: `none of the carriers that the number may belong to has known it ${quietText('carrier_not_found')}`,
  expired: 'no news for 30 days, within the last 30 days; it is no longer checked',
};

/** `for 5 days (info_received), 7 days (in_transit)` or `for 3 days`. */
function quietText(reason: AttentionReason): string {
  const conditions = ATTENTION_RULES[reason];
  const texts = conditions.map(({ states, quietDays }) =>
    conditions.length === 1 ? `${quietDays} days` : `${quietDays} days (\`${states.join()}\`)`,
  );
  return `for ${texts.join(', ')}`;
}

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
 * The problem of a parcel, by its history (oldest first).
 * @returns undefined unless it is in one of `PROBLEM_STATES`.
 */
export function problemOf(scans: readonly Scan[], subStatus: SubStatus): ParcelProblem | undefined {
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

/** Why an account itself needs attention: none of its parcels can be registered, or it misses pushes. */
export const ACCOUNT_REASONS = ['quota_exhausted', 'endpoint_disabled'] as const;
type AccountReason = (typeof ACCOUNT_REASONS)[number];

export type AccountAttention = {
  reason: AccountReason;
  /** The reason in words. */
  message: string;
  /** The id of a disabled endpoint. */
  webhookId?: string;
};

/** An endpoint; `disabledReason` is null unless the service itself disabled it. */
type Endpoint = { id: string; url: string; enabled: boolean; disabledReason: string | null };

/**
 * The reasons why an account itself needs attention. An endpoint that the account has disabled itself is none.
 * @param quota in units; `resetsAt` is the start of the next month.
 */
export function accountAttention(
  quota: { remaining: number; limit: number; resetsAt: Date },
  endpoints: readonly Endpoint[],
): AccountAttention[] {
  const exhausted: AccountAttention[] =
    quota.remaining > 0
      ? []
      : [
          {
            reason: 'quota_exhausted',
            message: `The quota of ${quota.limit} units is used up until ${quota.resetsAt.toISOString().slice(0, 10)}; new numbers are refused.`,
          },
        ];
  const disabled = endpoints.flatMap(({ id, url, enabled, disabledReason }): AccountAttention[] =>
    enabled || disabledReason === null
      ? []
      : [{ reason: 'endpoint_disabled', message: `${url} gets no pushes: ${disabledReason}`, webhookId: id }],
  );
  return [...exhausted, ...disabled];
}
