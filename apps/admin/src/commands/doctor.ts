import { providerSettings } from '@pts/carriers/providers/configured';
import { UsageError } from '@pts/client/cli/kit';
import type { Fleet } from '@pts/core/process/connection-budget';
import { showDatabaseAddress, textIn } from '@pts/core/settings';
import { openDatabase } from '@pts/db/connection';
import { readServer } from '@pts/db/diagnosis';
import { isTooSlow, messageOf } from '@pts/db/errors';
import { within } from '@pts/db/pool';
import { type Config, ConfigError, loadConfig, misspelled } from '@pts/runtime/settings/config';
import { SETTINGS, type SettingName, STORE_SETTINGS } from '@pts/runtime/settings/settings';
import { withLimitFaults } from '@pts/service/process';
import { command } from '../command.ts';
import {
  advice,
  type Finding,
  type Look,
  lookAtClock,
  lookAtKey,
  lookAtLimitsRedis,
  lookAtLocks,
  lookAtPausedQueues,
  lookAtPooler,
  lookAtQueue,
  lookAtRedis,
  lookAtReplica,
  lookAtSchema,
  lookAtServer,
  ok,
  problem,
} from '../doctor/stores.ts';
import { looksAtCarriers, looksAtWork } from '../doctor/work.ts';
import { storeEnv } from '../installation.ts';

const MARKS: Record<Finding['state'], string> = { ok: 'ok      ', advice: 'advice  ', problem: 'PROBLEM ' };

const ROLLED_OUT = { fleet: { apis: 2, pollers: 2, dispatchers: 2 }, surge: 1 };
/** `npm start` runs one process of each, and replaces none. */
const STANDALONE = { fleet: { apis: 1, pollers: 1, dispatchers: 1 }, surge: 0 };

export const doctor = command({
  name: 'doctor',
  takes: [],
  options: {
    fleet: {
      value: 'A,P,D',
      about:
        'the number of API, poller and dispatcher processes, for the connection budget (default: 2,2,2; with npm start 1,1,1)',
    },
    online: { about: 'also call each enabled provider once, with the credentials of this environment' },
  },
  about:
    'Find problems of the installation and show how to fix them, without changing anything. Run it with the environment of the services.',
  async run(context, { fleet, online: isOnline }) {
    const { now } = context;
    const env = storeEnv(context);
    const usual = env === context.env ? ROLLED_OUT : STANDALONE;
    const findings = await examine({ env, ...usual, ...(fleet && { fleet: readFleet(fleet) }), isOnline, now });
    const problems = findings.filter(({ state }) => state === 'problem').length;
    return {
      lines: [...findings.flatMap(inLines), '', problems === 0 ? 'No problems found.' : `Problems: ${problems}.`],
      json: { problems, findings },
      failed: problems > 0,
    };
  },
});

function inLines({ check, state, what, fix }: Finding): string[] {
  const line = `${MARKS[state]}${check}: ${what}`;
  return fix === undefined ? [line] : [line, `        → ${fix}`];
}

/** @throws UsageError */
function readFleet(text: string) {
  const [, apis, pollers, dispatchers] = /^(\d{1,4}),(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  if (apis === undefined) throw new UsageError(`--fleet must be three numbers such as 20,3,3, not "${text}".`);
  return { apis: Number(apis), pollers: Number(pollers), dispatchers: Number(dispatchers) };
}

const USED = [
  ...STORE_SETTINGS,
  'migrateDatabaseUrl',
  'databaseReplicaUrl',
  'redisLimitsUrl',
  'webhookRetentionDays',
] as const;

const NOT_EXAMINED = advice(
  'database',
  'neither the database nor Redis was checked, because their settings have problems',
  'correct the settings, then run this again',
);

type Given = { env: NodeJS.ProcessEnv; fleet: Fleet; surge: number; isOnline: boolean; now(): Date };

/** Looks that run at once, each with a connection at most. */
const AT_ONCE = 4;
/** For a look: more than a statement may take, which says what it waited for. */
const LOOK_MS = 10_000;
/** For one that reads every secret, or calls a provider. */
const LONG_LOOK_MS = 60_000;

/**
 * Looks at everything that an installation needs. It changes nothing. A look that fails or takes too long is a finding,
 * and keeps no other from being made.
 * @param given.surge how many processes more each app has during a rollout.
 * @param given.isOnline whether to call each provider once, which takes a call of its budget.
 */
async function examine({ env, fleet, surge, isOnline, now }: Given): Promise<Finding[]> {
  const settings = lookAtSettings(env);
  const isSet = settings.every(({ state }) => state !== 'problem');
  const config = usedIn(env);
  if (config === null) return [...settings, NOT_EXAMINED];
  const ofRedis = sideBySide([
    ['redis', () => lookAtRedis(config.redisUrl)],
    ['redis for limits', () => lookAtLimitsRedis(config.redisLimitsUrl)],
  ]);
  // One that was given up may still hold its connection.
  const db = openDatabase({ url: config.databaseUrl, poolSize: 2 * AT_ONCE });
  try {
    const facts = await within(LOOK_MS, readServer(db), () => Promise.reject(new Error(silentFor(LOOK_MS))));
    const server = await sideBySide([
      ['server', async () => lookAtServer(facts, { config, fleet, surge })],
      ['locks', () => lookAtLocks(db)],
      ['clock', () => lookAtClock(db, now)],
      ['pooler', () => lookAtPooler(config, isPod(env))],
      ['replica', () => lookAtReplica(db, config.databaseReplicaUrl)],
    ]);
    const schema = await sideBySide([['migrations', () => lookAtSchema({ db, config })]]);
    const redis = await ofRedis;
    const hasRights = schema.every(({ check, state }) => check !== 'rights' || state === 'ok');
    const isUsable = schema.every(({ check, state }) => check === 'indexes' || state === 'ok');
    const key = isSet && hasKey(env) ? loadConfig(env, ['encryptionKeys']) : {};
    const queue: Look[] = [
      ['queue', () => lookAtQueue({ db, config })],
      ['queues', async () => (redis.some(({ state }) => state === 'problem') ? [] : lookAtPausedQueues(config))],
    ];
    const work: Look[] = [
      ['encryption key', () => lookAtKey(db, key), LONG_LOOK_MS],
      ...looksAtWork({ db, retentionDays: config.webhookRetentionDays, now }),
    ];
    const calls = isOnline && isSet ? looksAtCarriers({ db, env, now }, LONG_LOOK_MS) : [];
    const further = await sideBySide([...(hasRights ? queue : []), ...(isUsable ? [...work, ...calls] : [])]);
    return [...settings, ...server, ...schema, ...redis, ...further];
  } catch (error) {
    const what = `the database at ${showDatabaseAddress(config.databaseUrl)} cannot be used: ${lastLine(error)}`;
    const fix = 'check DATABASE_URL, the password, TLS, pg_hba.conf, the network, and whether the server is running';
    return [...settings, problem('database', what, fix), ...(await ofRedis)];
  } finally {
    await db.$disconnect();
  }
}

const silentFor = (ms: number) => `no response within ${ms / 1000} s`;

/** Makes the looks, some at a time. @returns their findings, in the order of the looks. */
async function sideBySide(looks: readonly Look[]): Promise<Finding[]> {
  const findings: (readonly Finding[])[] = [];
  const rest = looks.entries();
  const takeTurns = async () => {
    for (const [n, look] of rest) findings[n] = await bounded(look);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return findings.flat();
}

async function bounded([check, look, ms = LOOK_MS]: Look): Promise<readonly Finding[]> {
  try {
    return await within(ms, look(), () => [tooSlow(check, silentFor(ms))]);
  } catch (error) {
    if (isTooSlow(error)) return [tooSlow(check, lastLine(error))];
    return [problem(check, `cannot be checked: ${lastLine(error)}`, 'fix that, then run this again')];
  }
}

const tooSlow = (check: string, reason: string) =>
  problem(check, `could not be checked: ${reason}`, 'see "locks"; if nothing is locked, PostgreSQL is overloaded');

const lastLine = (error: unknown) => messageOf(error).trim().split('\n').at(-1) ?? '';

/** Whether this environment is that of a pod, which has the secrets of its own process only. */
const isPod = (env: NodeJS.ProcessEnv) => env.KUBERNETES_SERVICE_HOST !== undefined;

/** Settings with secrets that only the API, the dispatcher or the migration has in Kubernetes. */
const OF_OTHER_PODS = ['WEBHOOK_PROXY_URL', 'MIGRATE_DATABASE_URL'];

/** The settings that this command needs itself; null if any is wrong, which `lookAtSettings` reports. */
function usedIn(env: NodeJS.ProcessEnv): Config<(typeof USED)[number]> | null {
  try {
    return loadConfig(env, USED);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return null;
  }
}

/** Checks the settings of every process. One without a default may be missing here: only some processes need it. */
function lookAtSettings(env: NodeJS.ProcessEnv): Finding[] {
  try {
    const names = (Object.keys(SETTINGS) as SettingName[]).filter(
      (name) => 'fallback' in SETTINGS[name] || textIn(env, SETTINGS[name].env) !== undefined,
    );
    const further = withLimitFaults(providerSettings({ connects: true }));
    loadConfig(env, names, further);
    return [
      ok('settings', `valid, also those of every enabled provider${unseenIn(env)}`),
      ...misspelled(env, further).map((text) =>
        advice('settings', text, 'correct its name or remove it, because nothing reads it'),
      ),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) =>
      problem(
        'settings',
        fault,
        'set it (.env.example explains every variable); the processes that need it do not start without it',
      ),
    );
  }
}

function unseenIn(env: NodeJS.ProcessEnv): string {
  const unseen = isPod(env) ? OF_OTHER_PODS.filter((name) => textIn(env, name) === undefined) : [];
  return unseen.length === 0 ? '' : `; not checked, because only other pods may have them: ${unseen.join(', ')}`;
}

const hasKey = (env: NodeJS.ProcessEnv) => (env.ENCRYPTION_KEY ?? '').trim() !== '';
