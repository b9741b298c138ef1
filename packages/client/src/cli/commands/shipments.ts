import { setTimeout as delay } from 'node:timers/promises';
import { ATTENTION_REASONS, type AttentionReason } from '@pts/core/attention';
import { columns, counted } from '@pts/core/terminal';
import { STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import type { Client } from '../../client.ts';
import { MAX_PAGE, type ShipmentList, sortOfAll } from '../../lists.ts';
import type { BulkAction, BulkShipmentFilter, Shipment } from '../../types.ts';
import { type Context, command, instant } from '../command.ts';
import { EXIT } from '../errors.ts';
import { CommandError, UsageError, wholeNumber } from '../kit.ts';

const SORTS = ['-updated_at', 'updated_at', '-created_at', 'created_at'] as const;

/** Which shipments: of the list, and of what is done to all that match. */
const FILTERS = {
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

function filterOf({ q, status, carrier, attention, since }: Filters) {
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
  about: 'Lists your shipments, the most recently updated first.',
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
    if (next !== undefined) note(`For more, add --cursor ${next}, or --all.`);
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

const VERBS = { retrack: 'Retrack', stop: 'Stop polling', delete: 'Delete' } as const;
const LOOK_AGAIN_MS = 500;

export const bulk = command({
  name: 'bulk',
  about: 'Retracks, stops or deletes all shipments that match: counts them, asks, then shows the progress.',
  takes: ['action'],
  choices: Object.keys(VERBS),
  options: {
    ...FILTERS,
    all: { about: 'all shipments of the account; needed without a filter' },
    'dry-run': { about: 'only counts' },
    yes: { about: 'does not ask; needed where nobody can answer' },
  },
  details: [
    'It applies to the shipments that were counted, not to those registered later.',
    'After Ctrl-C, the service finishes what has begun.',
  ],
  async run(context, { action: chosen, all, yes, 'dry-run': isDryRun, ...input }) {
    const { client, signal, print, ask, isInteractive } = context;
    const action = chosen as keyof typeof VERBS;
    const given = Object.entries(filterOf(input)).filter(([, value]) => value !== undefined);
    const filter: BulkShipmentFilter = Object.fromEntries(given);
    if ((given.length === 0) !== all)
      throw new UsageError(all ? '--all has no filter beside it.' : 'Give a filter, or --all.');
    if (!yes && !isDryRun && !isInteractive)
      throw new CommandError('There is no terminal to ask at: add --yes or --dry-run.', EXIT.usage);
    const api = client();
    const selection = await ended(context, api, await api.bulk.countShipments(filter, { signal }));
    const count = counted(selection.matched, 'shipment');
    if (isDryRun || selection.matched === 0)
      return print(selection, () => [`${count} ${selection.matched === 1 ? 'matches' : 'match'}.`]);
    const answer = yes ? 'y' : await ask(`${VERBS[action]} ${count}? [y/N]`);
    if (!/^y(es)?$/i.test(answer)) {
      print(selection, () => ['Nothing was done.']);
      return EXIT.failed;
    }
    const exactly = { expected_count: selection.matched, dry_run_id: selection.id, ...(all && { all }) };
    const done = await ended(context, api, await api.bulk[action](filter, { ...exactly, signal }));
    print(done, () => linesOf(done));
  },
});

/** Waits for the end of a bulk action, or of a dry run, which ends with this process. */
async function ended({ signal, progress }: Context, api: Client, started: BulkAction): Promise<BulkAction> {
  const { id, dry_run: isDryRun } = started;
  let latest = started;
  try {
    while (latest.state === 'queued' || latest.state === 'running') {
      const { matched, done, skipped, failed } = latest;
      progress(isDryRun ? `counting: ${matched} so far` : `${done + skipped + failed} of ${matched}`);
      await delay(LOOK_AGAIN_MS, undefined, { signal });
      latest = await api.bulk.one(id, { signal });
    }
  } catch (error) {
    if (isDryRun) await api.bulk.cancel(id).catch(() => {});
    throw error;
  }
  progress('');
  if (latest.state === 'done') return latest;
  throw new CommandError(latest.error ?? `It was cancelled after ${latest.done}. What was done is not undone.`);
}

function linesOf({ done, skipped, failed, reasons }: BulkAction): string[] {
  return [
    `${done} done, ${skipped} skipped, ${failed} failed`,
    ...reasons.map(({ count, message }) => `  ${count}: ${message}`),
  ];
}
