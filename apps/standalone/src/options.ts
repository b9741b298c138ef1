import { resolve } from 'node:path';
import { mergedOverrides, playedProviders, providerSettings } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { hasAccount } from '@pts/carriers/providers/manifest';
import { textIn } from '@pts/core/settings';
import { ConfigError, loadConfig } from '@pts/runtime/settings/config';
import { SETTINGS, type SettingName } from '@pts/runtime/settings/settings';
import { withLimitFaults } from '@pts/service/process';

/** Settings that only production refuses are allowed, unless the user says that it is production. */
export const DEFAULT_NODE_ENV = 'development';

type Env = Readonly<Record<string, string | undefined>>;

export type Options = {
  /** The folder of the data and keys of this installation. */
  dir: string;
  /** Whether it is the default folder, which other commands use too. */
  isUsualDir: boolean;
  /** Start over with an empty database. */
  fresh: boolean;
  host: string;
  /** `requested`: the user chose this port, so no other is used. */
  apiPort: { port: number; requested: boolean };
  sandboxPort: { port: number; requested: boolean };
  /** The user's own servers, instead of the embedded PostgreSQL, its queue, and our sandbox carrier. */
  databaseUrl: string | null;
  /** The server itself, if `databaseUrl` leads to a pooler. */
  migrateDatabaseUrl: string | null;
  redisUrl: string | null;
  sandboxUrl: string | null;
  /** The providers whose APIs the sandbox carrier plays; null: those that it plays by default. */
  providers: readonly string[] | null;
};

const USUAL_DIR = '.standalone';

export const USAGE = `npm start [-- --fresh]

  --fresh   start over, deleting the embedded database and the demo account

Environment (all variables of the services work too and take precedence):
  PORT             port of the API (default 8080; the sandbox carrier takes the next one, or SANDBOX_PORT)
  STANDALONE_DIR   data folder (default .standalone); use another folder for a second installation
  DATABASE_URL     use this PostgreSQL (15 or newer) instead of the embedded one
  REDIS_URL        use this Redis for the queue and the rate limits instead of PostgreSQL
  SANDBOX_URL      use this sandbox carrier instead of starting one
  CARRIERS         use these providers, whose APIs the sandbox carrier simulates, for example CARRIERS=ups,17track`;

/** The providers that the sandbox carrier can play. */
const PLAYED = PROVIDERS.filter(({ playedBySandbox }) => playedBySandbox !== undefined).map(({ name }) => name);

/** Reads the command line and the environment; an empty variable counts as not set. @throws StartupError */
export function readOptions(args: readonly string[], env: Env, root: string): Options {
  const unknown = args.find((arg) => arg !== '--fresh');
  if (unknown !== undefined) throw new StartupError(`Unknown option ${unknown}.\n\n${USAGE}`);
  const api = portOf(env, 'PORT');
  const sandbox = portOf(env, 'SANDBOX_PORT');
  const apiPort = api ?? 8080;
  const dir = resolve(root, env.STANDALONE_DIR || USUAL_DIR);
  const options = {
    dir,
    isUsualDir: dir === resolve(root, USUAL_DIR),
    fresh: args.includes('--fresh'),
    host: env.HOST || '127.0.0.1',
    apiPort: { port: apiPort, requested: api !== null },
    sandboxPort: { port: sandbox ?? (apiPort === 0 ? 0 : apiPort + 1), requested: sandbox !== null },
    databaseUrl: env.DATABASE_URL || null,
    migrateDatabaseUrl: (env.DATABASE_URL && env.MIGRATE_DATABASE_URL) || null,
    redisUrl: env.REDIS_URL || null,
    sandboxUrl: env.SANDBOX_URL || null,
    providers: providersIn(env),
  };
  requireValid(env, playedEnvironment(options.providers, options.sandboxUrl ?? 'http://127.0.0.1', env));
  if (options.fresh && options.databaseUrl) {
    throw new StartupError(
      '--fresh deletes only the embedded database. Empty the database of DATABASE_URL yourself, or unset DATABASE_URL.',
    );
  }
  return options;
}

/** Refuses the given settings as the programs would, before anything is started or deleted. */
function requireValid(env: Env, played: Env): void {
  const given = (Object.keys(SETTINGS) as SettingName[]).filter((name) => textIn(env, SETTINGS[name].env));
  try {
    const own = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
    // The programs get a secret for callbacks and an address that are made for this installation.
    const made = { CALLBACK_SECRET: 'made'.repeat(8), PUBLIC_BASE_URL: 'http://localhost' };
    const defaults = { NODE_ENV: DEFAULT_NODE_ENV, ...made, ...played };
    loadConfig(
      { ...defaults, ...own, ...mergedOverrides(defaults, own) },
      given,
      withLimitFaults(providerSettings({ connects: true })),
    );
  } catch (error) {
    throw error instanceof ConfigError ? new StartupError(error.message) : error;
  }
}

function providersIn(env: Env): string[] | null {
  const names = (env.CARRIERS ?? '').split(',').map((name) => name.trim().toLowerCase());
  const named = names.filter((name) => name !== '');
  const unknown = named.filter((name) => !PLAYED.includes(name));
  if (unknown.length > 0) {
    throw new StartupError(
      `CARRIERS contains ${unknown.join(', ')}, which the sandbox cannot simulate. Choose from ${PLAYED.join(', ')}.`,
    );
  }
  return named.length > 0 ? named : null;
}

/**
 * The variables with which the sandbox plays providers: those that `CARRIERS` names, or the default ones. The user's
 * own provider account must not query the sandbox, nor as often.
 */
export function playedEnvironment(named: readonly string[] | null, sandboxUrl: string, given: Env): Env {
  const manifests = PROVIDERS.filter((manifest) => !hasAccount(manifest, given)).filter((manifest) =>
    named === null ? manifest.isPlayedByDefault : named.includes(manifest.name),
  );
  return {
    SANDBOX_URL: sandboxUrl,
    TEST_CARRIER_URL: sandboxUrl,
    ...playedProviders(manifests, sandboxUrl),
  };
}

function portOf(env: Env, name: string): number | null {
  const text = env[name];
  if (!text) return null;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new StartupError(`${name} must be a port number from 0 to 65535 (0 for any free port), not "${text}".`);
}

/** A problem that the user can fix: printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
