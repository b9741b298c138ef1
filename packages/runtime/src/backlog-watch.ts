import { addLook, type Backlog, type BacklogLook, isGrowing, NO_BACKLOG } from '@pts/core/process/backlog';
import type { Logger } from './logger.ts';

type Options<L extends string> = {
  logger: Pick<Logger, 'warn' | 'info'>;
  /** 1 while a backlog grows. */
  growing: { set(labels: Record<L, string>, value: number): void };
};

/** Adds a look at the backlog with these labels. Looks at one backlog are some seconds apart. */
export type BacklogWatch<L extends string> = (labels: Record<L, string>, seen: BacklogLook) => void;

/** Warns once about each backlog that grows while this process has free places, and logs when that ends. */
export function createBacklogWatch<L extends string>({ logger, growing }: Options<L>): BacklogWatch<L> {
  const backlogs = new Map<string, Backlog>();
  const reported = new Set<string>();
  return (labels, seen) => {
    const key = JSON.stringify(labels);
    const backlog = addLook(backlogs.get(key) ?? NO_BACKLOG, seen);
    backlogs.set(key, backlog);
    const grows = isGrowing(backlog);
    growing.set(labels, grows ? 1 : 0);
    const fields: object = { ...labels, due: seen.count, oldestSeconds: Math.round(seen.oldestSeconds) };
    if (grows && !reported.has(key)) {
      reported.add(key);
      logger.warn(fields, 'a backlog grows while this process has free places');
    }
    if (!grows && reported.delete(key)) logger.info(fields, 'the backlog no longer grows');
  };
}
