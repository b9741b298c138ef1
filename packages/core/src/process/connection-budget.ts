/** The processes that connect to PostgreSQL. */
export type Fleet = { apis: number; pollers: number; dispatchers: number };

type Settings = {
  poolSize: number;
  hasRedis: boolean;
  /** How many processes more each app has during a rollout. */
  surge?: number;
};

/** For `/readyz`. */
const READINESS = 1;
/** Without Redis: the queue and its listener, signals and their listener, and the counts of the limits. */
const WITHOUT_REDIS: Fleet = { apis: 16 + 2 + 4, pollers: 16 + 2, dispatchers: 16 };
const MIGRATION = 2;

/**
 * How many connections PostgreSQL must accept at most: of all processes, those of a rollout included, and a migration.
 */
export function connectionBudget(fleet: Fleet, { poolSize, hasRedis, surge = 1 }: Settings): number {
  const of = (app: keyof Fleet) => (fleet[app] + surge) * (poolSize + READINESS + (hasRedis ? 0 : WITHOUT_REDIS[app]));
  return of('apis') + of('pollers') + of('dispatchers') + MIGRATION;
}
