/** The overall statuses a merchant reads (spec section 3, exact strings). */
export const STATUSES = ['查询中', '派送中', '已签收', '异常'] as const;
export type Status = (typeof STATUSES)[number];

/** How a parcel in this state is checked: every interval, once more after 24 h, or not at all. */
type Watch = 'regularly' | 'once-more' | 'never';

/**
 * The sub-statuses and the overall status of each. This table alone decides the overall status.
 * `expired` keeps the parcel's status, so it has none of its own.
 */
const TABLE = {
  pending: { status: '查询中', watch: 'regularly' },
  info_received: { status: '查询中', watch: 'regularly' },
  in_transit: { status: '查询中', watch: 'regularly' },
  out_for_delivery: { status: '派送中', watch: 'regularly' },
  available_for_pickup: { status: '派送中', watch: 'regularly' },
  delivered: { status: '已签收', watch: 'once-more' },
  exception: { status: '异常', watch: 'regularly' },
  undeliverable: { status: '异常', watch: 'regularly' },
  returned: { status: '异常', watch: 'once-more' },
  expired: { status: null, watch: 'never' },
} as const satisfies Record<string, { status: Status | null; watch: Watch }>;

export type SubStatus = keyof typeof TABLE;
export const SUB_STATUSES = Object.keys(TABLE) as SubStatus[];

/** The states a scan can report: every sub-status except the two that mean the absence of news. */
export type ScanStatus = Exclude<SubStatus, 'pending' | 'expired'>;

/** The sub-statuses of the exception family: becoming one emits `tracking_exception` (spec section 3, rule 2). */
export const EXCEPTION_FAMILY: readonly SubStatus[] = ['exception', 'undeliverable', 'returned'];

/** The overall status of a sub-status; `previous` is kept where the sub-status has none of its own. */
export function overallStatus(subStatus: SubStatus, previous: Status = '查询中'): Status {
  return TABLE[subStatus].status ?? previous;
}

/** How a parcel in this state is polled. */
export function watchOf(subStatus: SubStatus): Watch {
  return TABLE[subStatus].watch;
}

/** The sub-statuses of parcels from which more is expected. */
export const ACTIVE_SUB_STATUSES = SUB_STATUSES.filter((subStatus) => TABLE[subStatus].watch === 'regularly');

export function isStatus(value: string): value is Status {
  return (STATUSES as readonly string[]).includes(value);
}

export function isSubStatus(value: string): value is SubStatus {
  return Object.hasOwn(TABLE, value);
}

/** The kinds an endpoint can subscribe to, in the order they are sent (spec section 6.1). */
export const EVENT_KINDS = ['tracking_update', 'tracking_delivered', 'tracking_exception'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

type State = { status: Status; subStatus: SubStatus };

/**
 * Which events a change emits (spec section 3, rules 1 to 3): every change an update, becoming delivered and becoming
 * exception, undeliverable or returned one more, update first.
 * @param isNews whether the history changed; a change of state alone is news too.
 * @param isRevoked whether the carrier has withdrawn the delivery; that is an exception, too.
 */
export function eventsBetween(before: State, after: State, isNews: boolean, isRevoked = false): EventKind[] {
  const stateChanged = before.subStatus !== after.subStatus || before.status !== after.status;
  if (!isNews && !stateChanged) return [];
  const kinds: EventKind[] = ['tracking_update'];
  if (after.status === '已签收' && before.status !== '已签收') kinds.push('tracking_delivered');
  const isException = after.subStatus !== before.subStatus && EXCEPTION_FAMILY.includes(after.subStatus);
  if (isException || isRevoked) kinds.push('tracking_exception');
  return kinds;
}
