import { LIMITS, parseLimitChange } from '@pts/contract/limits';
import { PLANS } from '@pts/core/account';
import { readList, textIn } from '@pts/core/settings';
import { openDatabase, readClock } from '@pts/db/connection';
import { isDatabaseUnreachable, isTooSlow } from '@pts/db/errors';
import type { Logger } from '@pts/runtime/logger';
import { type Counter, poolUse, type Registry } from '@pts/runtime/metrics';
import { createSharedClock } from '@pts/runtime/process/clock';
import { createDatabaseFaults } from '@pts/runtime/process/database-faults';
import type { FurtherSettings } from '@pts/runtime/settings/config';

/**
 * The database of a process, shown in its metrics; its clock, which all processes share; and the report of its outages.
 */
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

/** Adds the check of RATE_LIMITS: the contract has the names of the limits. */
export function withLimitFaults(further: FurtherSettings): FurtherSettings {
  const own: FurtherSettings['faults'] = (env) => {
    const changes = readList(textIn(env, 'RATE_LIMITS') ?? '');
    const wrong = changes.includes('off') ? undefined : changes.find((change) => parseLimitChange(change) === null);
    return wrong === undefined
      ? []
      : [
          `RATE_LIMITS has "${wrong}", which is neither endpoint=number nor plan:endpoint=number; plans are ${PLANS.join(', ')}; endpoints are ${Object.keys(LIMITS).join(', ')}`,
        ];
  };
  return { ...further, faults: (env) => [...further.faults(env), ...own(env)] };
}
