import type { DeliveryFilter, Webhook } from '../../data/webhooks.ts';

export type EventKind = Webhook['events'][number];

/** The kinds of events that an endpoint can receive. */
export const EVENT_KINDS = [
  'tracking_update',
  'tracking_delivered',
  'tracking_exception',
  'tracking_attention',
  'account_notice',
] as const satisfies readonly EventKind[];
/** The kinds that are chosen for a new endpoint: those of changes. */
export const USUAL_KINDS: EventKind[] = ['tracking_update', 'tracking_delivered', 'tracking_exception'];

/** The parameters of the address that narrow the log of attempts. */
export const FILTERS = ['endpoint', 'outcome', 'event', 'code', 'since', 'until', 'parcel', 'message'] as const;
export type FilterName = (typeof FILTERS)[number];
/** Another list begins at its top, not at a place of the former one. */
export const FROM_TOP = { from: null };

export const EVENTS = [...EVENT_KINDS, 'ping'] as const satisfies NonNullable<DeliveryFilter['event']>[];
export const OUTCOMES = ['delivered', 'failed', 'exhausted'] as const satisfies DeliveryFilter['outcome'][];

const IS_KNOWN: Readonly<Record<FilterName, (value: string) => boolean>> = {
  endpoint: isId,
  outcome: (value) => (OUTCOMES as readonly string[]).includes(value),
  event: (value) => (EVENTS as readonly string[]).includes(value),
  code: (value) => /^(0|[1-9]\d\d)$/.test(value),
  since: isInstant,
  until: isInstant,
  parcel: isId,
  message: isId,
};

type Get = (name: string) => string | null;

/** The value of a filter in the address; null: it has none, or one that is not known. */
export function filterValue(get: Get, name: FilterName): string | null {
  const value = get(name);
  return value !== null && IS_KNOWN[name](value) ? value : null;
}

/** The cursor from which the log is shown; null: from its top. */
export function fromOf(get: Get): string | null {
  const from = get('from');
  return from !== null && /^[0-9a-f]{24}$/.test(from) ? from : null;
}

/** The filter that the service is asked for. */
export function filterOf(get: Get): DeliveryFilter {
  const value = (name: FilterName) => filterValue(get, name) ?? undefined;
  const code = value('code');
  return {
    webhook_id: value('endpoint'),
    outcome: value('outcome') as DeliveryFilter['outcome'],
    event: value('event') as DeliveryFilter['event'],
    message_id: value('message'),
    tracking_id: value('parcel'),
    status_code: code === undefined ? undefined : Number(code),
    since: value('since'),
    until: value('until'),
  };
}

function isId(value: string): boolean {
  return /^[0-9a-f]{24}$/.test(value);
}

function isInstant(value: string): boolean {
  return value.length <= 40 && !Number.isNaN(new Date(value).getTime());
}
