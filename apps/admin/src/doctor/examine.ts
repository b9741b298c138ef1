import { providerSettings } from '@pts/carriers/providers/configured';
import type { Fleet } from '@pts/core/process/connection-budget';
import { showDatabaseAddress } from '@pts/core/settings/database-address';
import { textIn } from '@pts/core/settings/setting';
import { openDatabase } from '@pts/db/connection/client';
import { messageOf } from '@pts/db/connection/message';
import { type Config, ConfigError, loadConfig, misspelled } from '@pts/runtime/settings/config';
import { SETTINGS, type SettingName } from '@pts/runtime/settings/settings';
import { withLimitFaults } from '@pts/service/process/limit-settings';
import { advice, type Finding, ok, problem } from './finding.ts';
import { lookAtCarriers } from './look-at-carriers.ts';
import { lookAtQueue, lookAtSchema, lookAtServer } from './look-at-database.ts';
import { lookAtKey } from './look-at-key.ts';
import { lookAtLimitsRedis, lookAtRedis } from './look-at-redis.ts';
import { lookAtReplica } from './look-at-replica.ts';
import { lookAtWork } from './look-at-work.ts';

const USED = [
  'databaseUrl',
  'directDatabaseUrl',
  'migrateDatabaseUrl',
  'databaseReplicaUrl',
  'databasePoolSize',
  'redisUrl',
  'redisLimitsUrl',
  'webhookRetentionDays',
] as const;

const NOT_EXAMINED = advice(
  'database',
  'neither it nor Redis was examined, because their settings have problems',
  'correct the settings, and run this again',
);

type Given = { env: NodeJS.ProcessEnv; fleet: Fleet; surge: number; isOnline: boolean; now(): Date };

/**
 * Looks at everything that an installation needs. It changes nothing.
 * @param given.surge how many processes more each app has during a rollout.
 * @param given.isOnline whether to call each provider once, which takes a call of its budget.
 */
export async function examine({ env, fleet, surge, isOnline, now }: Given): Promise<Finding[]> {
  const settings = lookAtSettings(env);
  const isSet = settings.every(({ state }) => state !== 'problem');
  const config = usedIn(env);
  if (config === null) return [...settings, NOT_EXAMINED];
  const db = openDatabase({ url: config.databaseUrl, poolSize: 2 });
  const redis = [...(await lookAtRedis(config.redisUrl)), ...(await lookAtLimitsRedis(config.redisLimitsUrl))];
  try {
    const server = [
      ...(await lookAtServer({ db, config, fleet, surge, now })),
      ...(await lookAtReplica(db, config.databaseReplicaUrl)),
    ];
    const schema = await lookAtSchema({ db, config });
    const hasRights = schema.every(({ check, state }) => check !== 'rights' || state === 'ok');
    const isUsable = schema.every(({ check, state }) => check === 'indexes' || state === 'ok');
    const key = isSet && hasKey(env) ? loadConfig(env, ['encryptionKeys']) : {};
    const work = isUsable
      ? [...(await lookAtKey(db, key)), ...(await lookAtWork({ db, retentionDays: config.webhookRetentionDays, now }))]
      : [];
    const calls = isOnline && isUsable && isSet ? await lookAtCarriers({ db, env, now }) : [];
    const queue = hasRights ? await lookAtQueue({ db, config }) : [];
    return [...settings, ...server, ...schema, ...queue, ...redis, ...work, ...calls];
  } catch (error) {
    const what = `the database at ${showDatabaseAddress(config.databaseUrl)} cannot be used: ${messageOf(error).trim().split('\n').at(-1)}`;
    const fix = 'check DATABASE_URL, the password, TLS, pg_hba.conf, the network, and whether the server runs';
    return [...settings, problem('database', what, fix), ...redis];
  } finally {
    await db.$disconnect();
  }
}

/** What this command needs itself; null if something of it is wrong, which `lookAtSettings` reports. */
function usedIn(env: NodeJS.ProcessEnv): Config<(typeof USED)[number]> | null {
  try {
    return loadConfig(env, USED);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return null;
  }
}

/** Those of every process. One that has no default may be missing here: only some processes need it. */
function lookAtSettings(env: NodeJS.ProcessEnv): Finding[] {
  try {
    const names = (Object.keys(SETTINGS) as SettingName[]).filter(
      (name) => 'fallback' in SETTINGS[name] || textIn(env, SETTINGS[name].env) !== undefined,
    );
    const further = withLimitFaults(providerSettings({ connects: true }));
    loadConfig(env, names, further);
    return [
      ok('settings', 'they are valid, and every provider that is on has its own'),
      ...misspelled(env, further).map((text) =>
        advice('settings', text, 'correct its name, or remove it: nothing reads it'),
      ),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) =>
      problem(
        'settings',
        fault,
        'set it (.env.example explains every variable); what reads it does not start until then',
      ),
    );
  }
}

const hasKey = (env: NodeJS.ProcessEnv) => (env.ENCRYPTION_KEY ?? '').trim() !== '';
