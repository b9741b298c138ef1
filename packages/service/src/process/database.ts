import { openDatabase, readClock } from '@pts/db/connection';
import { isDatabaseUnreachable, isTooSlow } from '@pts/db/errors';
import type { Logger } from '@pts/runtime/logger';
import { type Counter, poolUse, type Registry } from '@pts/runtime/metrics';
import { createSharedClock } from '@pts/runtime/process/clock';
import { createDatabaseFaults } from '@pts/runtime/process/database-faults';

/** The database of a process, shown in its metrics; its clock, which all processes share; and the report of its outages. */
export function openProcessDatabase(
  options: Parameters<typeof openDatabase>[0],
  logger: Logger,
  metrics: { registry: Registry; databaseFaults: Counter<'kind'> },
) {
  const db = openDatabase(options);
  const { $pool } = db;
  poolUse(metrics.registry, () => ({
    open: $pool.totalCount,
    idle: $pool.idleCount,
    waiting: $pool.waitingCount,
  }));
  return {
    db,
    clock: createSharedClock({ read: () => readClock(db) }),
    databaseFaults: createDatabaseFaults({
      counter: metrics.databaseFaults,
      logger,
      kindOf: (error) => {
        if (isTooSlow(error)) return 'slow';
        return isDatabaseUnreachable(error) ? 'unreachable' : null;
      },
    }),
  };
}
