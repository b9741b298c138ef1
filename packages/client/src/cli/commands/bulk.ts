import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../client.ts';
import type { BulkAction, BulkShipmentFilter } from '../../types.ts';
import { type Context, command } from '../command.ts';
import { usageProblem } from '../parse.ts';
import { EXIT, Problem } from '../problem.ts';
import { FILTERS, filterOf } from './shipments.ts';

const VERBS = { retrack: 'Retrack', stop: 'Stop polling', delete: 'Delete' } as const;
const LOOK_AGAIN_MS = 500;

export const bulk = command({
  name: 'bulk',
  about: 'Retracks, stops or deletes all shipments that match: counts them, asks, then shows the progress.',
  takes: ['ACTION'],
  choices: Object.keys(VERBS),
  options: {
    ...FILTERS,
    all: { about: 'all shipments of the account; needed without a filter' },
    'dry-run': { about: 'only counts' },
    yes: { about: 'does not ask; needed where nobody can answer' },
  },
  details: [
    'It is done to those that were counted: what is registered later is left out.',
    'Ctrl-C leaves what has begun to the service.',
  ],
  async run(context, { ACTION, all, yes, 'dry-run': isDryRun, ...input }) {
    const { client, signal, print, ask, isInteractive } = context;
    const action = ACTION as keyof typeof VERBS;
    const given = Object.entries(filterOf(input)).filter(([, value]) => value !== undefined);
    const filter: BulkShipmentFilter = Object.fromEntries(given);
    if ((given.length === 0) !== all)
      throw usageProblem(all ? '--all has no filter beside it.' : 'Give a filter, or --all.');
    if (!yes && !isDryRun && !isInteractive)
      throw new Problem('Nobody can answer here: add --yes or --dry-run.', EXIT.usage);
    const api = client();
    const counted = await ended(context, api, await api.bulk.countShipments(filter, { signal }));
    const count = `${counted.matched} shipments`;
    if (isDryRun || counted.matched === 0) return print(counted, () => [`${count} match.`]);
    const answer = yes ? 'y' : await ask(`${VERBS[action]} ${count}? [y/N]`);
    if (!/^y(es)?$/i.test(answer)) {
      print(counted, () => ['Nothing was done.']);
      return EXIT.failed;
    }
    const exactly = { expected_count: counted.matched, dry_run_id: counted.id, ...(all && { all }) };
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
  throw new Problem(latest.error ?? `It was cancelled after ${latest.done}. What it has done stays so.`);
}

function linesOf({ done, skipped, failed, reasons }: BulkAction): string[] {
  return [
    `${done} done, ${skipped} skipped, ${failed} failed`,
    ...reasons.map(({ count, message }) => `  ${count}: ${message}`),
  ];
}
