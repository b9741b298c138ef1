import type { DeliveryFilter } from '../../../data/webhooks.ts';
import { EVENT_KINDS } from '../event-kinds.ts';

/** The parameters of the address that narrow the log of attempts. */
export const FILTERS = ['failed', 'event', 'code', 'since', 'until', 'message'] as const;
export type FilterName = (typeof FILTERS)[number];

export const EVENTS = [...EVENT_KINDS, 'ping'] as const satisfies NonNullable<DeliveryFilter['event']>[];

const IS_KNOWN: Readonly<Record<FilterName, (value: string) => boolean>> = {
  failed: (value) => value !== '',
  event: (value) => (EVENTS as readonly string[]).includes(value),
  code: (value) => /^(0|[1-5]\d\d)$/.test(value),
  since: isInstant,
  until: isInstant,
  message: (value) => /^[0-9a-f]{24}$/.test(value),
};

type Get = (name: string) => string | null;

/** The value of a filter in the address; null: it has none, or one that is not known. */
export function filterValue(get: Get, name: FilterName): string | null {
  const value = get(name);
  return value !== null && IS_KNOWN[name](value) ? value : null;
}

/** What the service is asked for. */
export function filterOf(get: Get): DeliveryFilter {
  const value = (name: FilterName) => filterValue(get, name) ?? undefined;
  const code = value('code');
  return {
    event: value('event') as DeliveryFilter['event'],
    message_id: value('message'),
    failed: value('failed') === undefined ? undefined : true,
    status_code: code === undefined ? undefined : Number(code),
    since: value('since'),
    until: value('until'),
  };
}

function isInstant(value: string): boolean {
  return value.length <= 40 && !Number.isNaN(new Date(value).getTime());
}
