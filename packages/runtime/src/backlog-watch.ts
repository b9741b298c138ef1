import {
  addLook,
  alarmOf,
  type Backlog,
  type BacklogFinding,
  type BacklogLook,
  NO_BACKLOG,
} from '@pts/core/process/backlog';
import type { Logger } from './logger.ts';

type Options<L extends string> = {
  logger: Pick<Logger, 'warn' | 'info'>;
  /** 1 while there is an alarm about a backlog; absent while nothing is known of it. */
  growing: { set(labels: Record<L, string>, value: number): void; remove(labels: Record<L, string>): void };
};

export type BacklogWatch<L extends string> = {
  /** Adds a look at the backlog with these labels. Looks at one backlog are some seconds apart. */
  look(labels: Record<L, string>, seen: BacklogLook): void;
  /** What `/readyz` shows, by label. */
  details(): Record<string, string>;
};

/** Figures of the backlog are shown for a minute after a look (`clusterGauge`). */
const LOOK_EVERY_MS = 15_000;
const SWEEPS_PER_LOOK = 15;

/** How often to look at due work. More often only where sweeps are, as in tests. */
export function lookEveryMs(sweepIntervalMs: number): number {
  return Math.min(LOOK_EVERY_MS, SWEEPS_PER_LOOK * sweepIntervalMs);
}

const FINDINGS: Record<BacklogFinding, string> = {
  failing: 'every attempt at the work that is due fails',
  unknown: 'the database does not say what is due',
  growing: 'work that is due waits longer and longer, and nothing outside of the service holds it back',
};

/** Warns once about each backlog with an alarm, and logs when that ends. */
export function createBacklogWatch<L extends string>({ logger, growing }: Options<L>): BacklogWatch<L> {
  const backlogs = new Map<string, Backlog>();
  const reported = new Set<string>();
  return {
    look(labels, seen) {
      const key = Object.values(labels).join(' ');
      const backlog = addLook(backlogs.get(key) ?? NO_BACKLOG, seen);
      backlogs.set(key, backlog);
      const alarm = alarmOf(backlog);
      if (alarm === null && backlog.finding === 'unknown') growing.remove(labels);
      else growing.set(labels, alarm === null ? 0 : 1);
      const fields: object = { ...labels, oldestSeconds: Math.round(backlog.oldestSeconds) };
      if (alarm !== null && !reported.has(key)) {
        reported.add(key);
        logger.warn({ ...fields, finding: alarm }, FINDINGS[alarm]);
      }
      if (alarm === null && reported.delete(key)) logger.info(fields, 'the work that is due is done again');
    },
    details: () => Object.fromEntries([...backlogs].map(([key, backlog]) => [key, inWords(backlog)])),
  };
}

/** A single look says at once that nothing is known, or that nothing can be taken. */
function inWords(backlog: Backlog): string {
  const { finding, oldestSeconds } = backlog;
  if (finding === null || (finding === 'growing' && alarmOf(backlog) === null)) return 'ok';
  const age = oldestSeconds < 1 ? '' : `; the oldest has been due for ${Math.round(oldestSeconds)} s`;
  return `${finding}: ${FINDINGS[finding]}${finding === 'unknown' ? '' : age}`;
}
