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

/** The overall statuses that a parcel with this sub-status can have. */
export function statusesOf(subStatus: SubStatus): readonly Status[] {
  const { status } = TABLE[subStatus];
  return status === null ? STATUSES : [status];
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

type State = { status: Status; subStatus: SubStatus };
/** A change of a parcel, and whether the carrier has withdrawn the delivery, which is an exception, too. */
type Change = { before: State; after: State; isRevoked: boolean };
type EventRow = {
  /** Whether a change that is news emits it (spec section 3, rules 1 to 3); absent: time may cause it, too. */
  isEmitted?(change: Change): boolean;
  /** The event as the reference describes it: what has happened, and when it is sent. */
  summary: string;
  when: string;
  /** A parcel that does not exist, for checks of a receiver; absent: the event is not about a parcel. */
  sample?: { status: Status; scan: ScanStatus; description: string };
};

/** The events an endpoint can subscribe to, in the order in which those of one change are sent (spec section 6.1). */
export const EVENTS = {
  tracking_update: {
    isEmitted: () => true,
    summary: 'A tracking has changed',
    when: 'Sent on every change: a new event or a new status.',
    sample: { status: '查询中', scan: 'in_transit', description: 'Sample: on its way' },
  },
  tracking_delivered: {
    isEmitted: ({ before, after }) => after.status === '已签收' && before.status !== '已签收',
    summary: 'A parcel was delivered',
    when: 'Sent when the status becomes 已签收, after the `tracking_update` of the same change.',
    sample: { status: '已签收', scan: 'delivered', description: 'Sample: delivered' },
  },
  tracking_exception: {
    isEmitted: ({ before, after, isRevoked }) =>
      isRevoked || (after.subStatus !== before.subStatus && EXCEPTION_FAMILY.includes(after.subStatus)),
    summary: 'A parcel has an exception',
    when: 'Sent when a parcel becomes `exception`, `undeliverable` or `returned`, after the `tracking_update` of the same change.',
    sample: { status: '异常', scan: 'exception', description: 'Sample: held up' },
  },
  tracking_attention: {
    summary: 'A parcel needs attention',
    when: 'Sent once when a parcel begins to need attention for a reason of `GET /attention`, even if nothing happened to the parcel. It is sent again only if the reason stopped applying in between. Only webhooks with this kind in `events` receive it.',
    sample: { status: '查询中', scan: 'in_transit', description: 'Sample: on its way' },
  },
  account_notice: {
    summary: 'A notice about the account itself',
    when: 'Sent once for each notice of `GET /account/notices`, to the healthy webhooks with this kind in `events`. It is not about a parcel, and `GET /events` does not include it.',
  },
} as const satisfies Record<string, EventRow>;

export type EventKind = keyof typeof EVENTS;
export const EVENT_KINDS = Object.keys(EVENTS) as [EventKind, ...EventKind[]];
/** The kinds that are about a parcel: the feed has these. */
export type TrackingEventKind = Exclude<EventKind, 'account_notice'>;
export const TRACKING_EVENT_KINDS = EVENT_KINDS.filter((kind) => 'sample' in EVENTS[kind]) as [
  TrackingEventKind,
  ...TrackingEventKind[],
];
/** The kinds that changes emit: those of an endpoint for which nobody has chosen any. */
export const CHANGE_KINDS = TRACKING_EVENT_KINDS.filter((kind) => 'isEmitted' in EVENTS[kind]);

/**
 * Which events a change emits.
 * @param isNews whether the history changed; a change of state alone is news too.
 * @param isRevoked whether the carrier has withdrawn the delivery.
 */
export function eventsBetween(before: State, after: State, isNews: boolean, isRevoked = false): TrackingEventKind[] {
  const stateChanged = before.subStatus !== after.subStatus || before.status !== after.status;
  if (!isNews && !stateChanged) return [];
  const rows: Readonly<Record<EventKind, EventRow>> = EVENTS;
  return CHANGE_KINDS.filter((kind) => rows[kind].isEmitted?.({ before, after, isRevoked }));
}
