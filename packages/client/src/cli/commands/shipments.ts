import { setTimeout as delay } from 'node:timers/promises';
import { ATTENTION_REASONS } from '@pts/core/attention';
import { columns, counted } from '@pts/core/terminal';
import { STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import type { Client } from '../../client.ts';
import { MAX_PAGE, type ShipmentList, sortOfAll } from '../../lists.ts';
import type { BulkAction, BulkShipmentFilter, Shipment } from '../../types.ts';
import { type Context, command, instant } from '../command.ts';
import { EXIT } from '../errors.ts';
import { CommandError, type Input, UsageError, wholeNumber } from '../kit.ts';

const SORTS = ['-updated_at', 'updated_at', '-created_at', 'created_at'] as const;

/** Which shipments: of the list, and of what is done to all that match. */
const FILTERS = {
  q: { value: 'TEXT', about: 'part of a tracking number, an order id or a title' },
  status: {
    value: 'STATUS',
    about: 'only this status; active means not delivered, returned or expired',
    choices: [...STATUSES, ...SUB_STATUSES, 'active'],
  },
  carrier: { value: 'CODE', about: 'only this carrier' },
  attention: {
    value: 'REASON',
    about: 'only shipments that need attention, for this reason',
    choices: ['any', ...ATTENTION_REASONS],
  },
  since: { value: 'TIME', about: 'only shipments registered at this time or later (RFC 3339)' },
} as const;

type Filters = Input<[], typeof FILTERS>;

function filterOf({ q, status, carrier, attention, since }: Filters) {
  return {
    q,
    carrier,
    created_after: since === undefined ? undefined : instant('--since', since),
    status,
    needs_attention: attention === 'any' ? ('true' as const) : attention,
  };
}

export const shipments = command({
  name: 'shipments',
  about: 'Lists your shipments, most recently updated first.',
  takes: [],
  options: {
    ...FILTERS,
    sort: { value: 'ORDER', about: 'sort order', choices: SORTS },
    limit: { value: 'N', about: 'shipments per page, 1 to 200 (default 50; 200 with --all)' },
    cursor: { value: 'CURSOR', about: 'continue after an earlier page; each page prints the cursor of the next' },
    all: { about: 'read all pages, newest registrations first unless --sort is given' },
  },
  details: [
    'With --all --json, each shipment is printed on its own line. With --json alone, a page and its next_cursor are printed.',
  ],
  async run({ client, signal, isJson, print, note }, { limit, cursor, all, ...input }) {
    const { needs_attention: reason, ...filters } = filterOf(input);
    const filter: ShipmentList = {
      ...filters,
      needs_attention: reason === 'true' ? true : reason,
      limit: limit === undefined ? (all ? MAX_PAGE : undefined) : wholeNumber('--limit', limit, 1, MAX_PAGE),
      cursor,
      sort: input.sort,
    };
    const api = client();
    const sort = all ? sortOfAll(filter) : filter.sort;
    let next = cursor;
    do {
      const page = await api.shipments.list({ ...filter, sort, cursor: next }, { signal });
      if (isJson && all) for (const one of page.shipments) print(one, () => []);
      else print(page, () => columns(page.shipments.map(cellsOf)));
      if (page.shipments.length === 0 && page.next_cursor === null)
        note(cursor === undefined ? 'No shipments match.' : 'No more shipments match.');
      next = page.next_cursor ?? undefined;
    } while (all && next !== undefined);
    if (next !== undefined) note(`For the next page, add --cursor ${next}. For all pages, add --all.`);
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
  about: 'Retracks, stops or deletes all matching shipments. It counts them and asks before it changes anything.',
  takes: ['action'],
  choices: Object.keys(VERBS),
  options: {
    ...FILTERS,
    all: { about: 'all shipments of the account; required without a filter' },
    'dry-run': { about: 'count the shipments only' },
    yes: { about: 'do not ask for confirmation; required without a terminal' },
  },
  details: [
    'Only the shipments that were counted are changed, not those registered later.',
    'After Ctrl-C, the service finishes a running action.',
  ],
  async run(context, { action: chosen, all, yes, 'dry-run': isDryRun, ...input }) {
    const { client, signal, print, ask, isInteractive } = context;
    const action = chosen as keyof typeof VERBS;
    const given = Object.entries(filterOf(input)).filter(([, value]) => value !== undefined);
    const filter: BulkShipmentFilter = Object.fromEntries(given);
    if ((given.length === 0) !== all)
      throw new UsageError(all ? 'Use either --all or a filter, not both.' : 'Add a filter, or --all.');
    if (!yes && !isDryRun && !isInteractive)
      throw new CommandError('Cannot ask for confirmation without a terminal. Add --yes or --dry-run.', EXIT.usage);
    const api = client();
    const selection = await ended(context, api, await api.bulk.countShipments(filter, { signal }));
    const count = counted(selection.matched, 'shipment');
    if (isDryRun || selection.matched === 0)
      return print(selection, () => [`${count} ${selection.matched === 1 ? 'matches' : 'match'}.`]);
    const answer = yes ? 'y' : await ask(`${VERBS[action]} ${count}? [y/N]`);
    if (!/^y(es)?$/i.test(answer)) {
      print(selection, () => ['Nothing was changed.']);
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
      progress(isDryRun ? `Counting: ${matched} so far` : `${done + skipped + failed} of ${matched}`);
      await delay(LOOK_AGAIN_MS, undefined, { signal });
      latest = await api.bulk.one(id, { signal });
    }
  } catch (error) {
    if (isDryRun) await api.bulk.cancel(id).catch(() => {});
    throw error;
  }
  progress('');
  if (latest.state === 'done') return latest;
  throw new CommandError(
    latest.error ?? `The action was cancelled after ${counted(latest.done, 'shipment')}. Those are not changed back.`,
  );
}

function linesOf({ done, skipped, failed, reasons }: BulkAction): string[] {
  return [
    `${done} done, ${skipped} skipped, ${failed} failed`,
    ...reasons.map(({ count, message }) => `  ${count}: ${message}`),
  ];
}
