import { ATTENTION_REASONS, type AttentionReason } from '@pts/core/attention';
import { columns } from '@pts/core/terminal';
import { STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import { MAX_PAGE, type ShipmentList, sortOfAll } from '../../lists.ts';
import type { Shipment } from '../../types.ts';
import { command } from '../command.ts';
import { instant, wholeNumber } from '../values.ts';

const SORTS = ['-updated_at', 'updated_at', '-created_at', 'created_at'] as const;

/** Which shipments: of the list, and of what is done to all that match. */
export const FILTERS = {
  q: { value: 'TEXT', about: 'part of a tracking number, an order id or a title' },
  status: {
    value: 'STATUS',
    about: 'one status; active: neither delivered, returned nor expired',
    choices: [...STATUSES, ...SUB_STATUSES, 'active'],
  },
  carrier: { value: 'CODE', about: 'one carrier' },
  attention: { value: 'REASON', about: 'what needs attention', choices: ['any', ...ATTENTION_REASONS] },
  since: { value: 'TIME', about: 'registered at this time or later (RFC 3339)' },
} as const;

type Filters = { [name in keyof typeof FILTERS]: string | undefined };

export function filterOf({ q, status, carrier, attention, since }: Filters) {
  return {
    q,
    carrier,
    created_after: since === undefined ? undefined : instant('--since', since),
    // Both are checked against their choices.
    status: status as ShipmentList['status'],
    needs_attention: (attention === 'any' ? 'true' : attention) as 'true' | AttentionReason | undefined,
  };
}

export const shipments = command({
  name: 'shipments',
  about: 'Lists your shipments, the newest news first.',
  takes: [],
  options: {
    ...FILTERS,
    sort: { value: 'ORDER', about: 'the order', choices: SORTS },
    limit: { value: 'N', about: 'entries of a page, 1 to 200 (default 50; with --all 200)' },
    cursor: { value: 'CURSOR', about: 'the page after another one, which names it' },
    all: { about: 'every page; the newest registrations first, unless --sort says otherwise' },
  },
  details: ['With --all --json, each shipment is a line; otherwise --json prints a page with its next_cursor.'],
  async run({ client, signal, isJson, print, note }, { limit, cursor, all, ...input }) {
    const { needs_attention: reason, ...filters } = filterOf(input);
    const filter: ShipmentList = {
      ...filters,
      needs_attention: reason === 'true' ? true : reason,
      limit: limit === undefined ? (all ? MAX_PAGE : undefined) : wholeNumber('--limit', limit, 1, MAX_PAGE),
      cursor,
      // It is checked against its choices.
      sort: input.sort as ShipmentList['sort'],
    };
    const api = client();
    const sort = all ? sortOfAll(filter) : filter.sort;
    let next = cursor;
    do {
      const page = await api.shipments.list({ ...filter, sort, cursor: next }, { signal });
      if (isJson && all) for (const one of page.shipments) print(one, () => []);
      else print(page, () => columns(page.shipments.map(cellsOf)));
      if (page.shipments.length === 0 && page.next_cursor === null) note('No other shipments match.');
      next = page.next_cursor ?? undefined;
    } while (all && next !== undefined);
    if (next !== undefined) note(`There are more: --cursor ${next}, or --all.`);
  },
});

function cellsOf({
  tracking_number: number,
  carrier,
  status,
  sub_status,
  updated_at,
  latest_event,
}: Shipment): string[] {
  const news = latest_event === null ? '' : [latest_event.location, latest_event.description].join(' ').trim();
  return [updated_at, number, carrier, status, sub_status, news];
}
