import { setTimeout as delay } from 'node:timers/promises';
import { countInSlots, leaveSlots } from '@pts/db/checks/leave-slots';
import { readClock } from '@pts/db/connection/clock';
import type { Context } from '../command-line/command.ts';
import { type DatabaseDeps, databaseCommand } from '../command-line/database-command.ts';
import { UsageError } from '../command-line/problem.ts';

/** The oldest release that runs on this schema, and the only one that does not make the checks in slots. */
const WITHOUT_SLOTS = '0.2.0';
/**
 * The pause before each pass: a check that is locked in one, as by a poller that stores an answer, is moved by one of the next.
 * If some are left after the last one, pollers of this release still run.
 */
const PAUSES_MS = [0, 100, 500, 2000];
/** Parts of the table between two lines of progress. */
const PARTS_PER_LINE = 100;

export const rollbackTo = databaseCommand({
  name: 'rollback-to',
  takes: ['version'],
  options: { 'dry-run': { about: 'Only count the checks that the old release would not make.' } },
  about: `After the old images are rolled out: let release ${WITHOUT_SLOTS} make all checks. Safe to repeat, also while services run.`,
  async run({ db }, { version, 'dry-run': isDryRun }, { out }) {
    if (version.replace(/^v/, '') !== WITHOUT_SLOTS)
      throw new UsageError(
        `Only ${WITHOUT_SLOTS} needs this, not "${version}": to return to a later release, replace the processes. An earlier one cannot run on this schema.`,
      );
    let moved = 0;
    let left = 0;
    for (const pauseMs of PAUSES_MS) {
      await delay(pauseMs);
      moved += await walk({ db, out }, isDryRun);
      left = await countInSlots(db);
      if (isDryRun || left === 0) break;
    }
    return {
      lines: describe({ moved, left, isDryRun }),
      json: { moved, left, dry_run: isDryRun },
      failed: !isDryRun && left > 0,
    };
  },
});

/** Moves the checks of the whole table, in parts. @returns how many. */
async function walk({ db, out }: Pick<DatabaseDeps, 'db'> & Pick<Context, 'out'>, isDryRun: boolean): Promise<number> {
  let moved = 0;
  let parts = 0;
  for (let afterId: string | null = ''; afterId !== null; parts++) {
    // The database's clock: the one of this machine may be wrong.
    const part = await leaveSlots(db, { afterId, now: await readClock(db), isDryRun });
    moved += part.moved;
    afterId = part.lastId;
    if (parts % PARTS_PER_LINE === PARTS_PER_LINE - 1) out(`Checks moved so far: ${moved}.`);
  }
  return moved;
}

function describe({ moved, left, isDryRun }: { moved: number; left: number; isDryRun: boolean }): string[] {
  if (isDryRun) return [`Checks that would get a time at which release ${WITHOUT_SLOTS} makes them: ${moved}.`];
  const done = `Checks that got a time at which release ${WITHOUT_SLOTS} makes them: ${moved}. Left: ${left}.`;
  if (left === 0) return [done];
  return [
    done,
    'A poller of this release still runs and puts checks back into slots. Stop it and run this command again.',
  ];
}
