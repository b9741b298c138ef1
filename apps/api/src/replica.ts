import { type Db, openDatabase } from '@pts/db/connection';
import { LOOK_EVERY_MS, type ReadDb, readPrimary, readReplica } from '@pts/db/replica';
import type { Logger } from '@pts/runtime/logger';
import { type Registry, replicaLag } from '@pts/runtime/metrics';
import { startLoop } from '@pts/runtime/process/loop';
import type { Config } from '@pts/runtime/settings/config';

type Settings = 'databaseReplicaUrl' | 'databasePoolSize' | 'tuning' | 'preparedStatements';

/** The database for reads that may be a little old: a replica if there is one, and whatever happens to it, the primary. */
export function openReplica(
  config: Config<Settings>,
  primary: Db,
  logger: Logger,
  registry: Registry,
): { reads: ReadDb; close(): Promise<void> } {
  if (config.databaseReplicaUrl === undefined) return { reads: readPrimary(primary), close: async () => {} };
  const replica = openDatabase({
    url: config.databaseReplicaUrl,
    poolSize: config.databasePoolSize,
    connectMs: config.tuning.databaseRequestTimeoutMs,
    statementMs: config.tuning.databaseRequestTimeoutMs,
    preparedStatements: config.preparedStatements,
  });
  const reads = readReplica({
    primary,
    replica,
    onUse: (isUsed, reason) =>
      isUsed ? logger.info('lists are read from the replica') : logger.warn({ reason }, 'the replica is left out'),
  });
  const loop = startLoop('replica', LOOK_EVERY_MS, logger, async () => {
    await reads.look();
    return { more: false };
  });
  replicaLag(registry, reads.lagMs);
  return {
    reads,
    close: async () => {
      await loop.stop();
      await replica.$disconnect();
    },
  };
}
