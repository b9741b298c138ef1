import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callbackAddress, mergedOverrides } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { hasAccount } from '@pts/carriers/providers/manifest';
import { textIn } from '@pts/core/settings';
import { enabledAccountOf, findKeyHolder } from '@pts/db/accounts/accounts';
import { openDatabase } from '@pts/db/connection';
import { messageOf } from '@pts/db/errors';
import { migrate } from '@pts/db/migrate';
import { tryPort } from '@pts/embedded/machine';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { queuesOf } from '@pts/queue/catalog';
import { openQueue } from '@pts/queue/connection';
import { migrateQueue } from '@pts/queue/postgres/schema';
import { SETTINGS } from '@pts/runtime/settings/settings';
import { addKey, createAccount } from '@pts/service/accounts';
import {
  filesIn,
  ignoreInGit,
  keepEncryptionKey,
  keepPrivate,
  keepSecret,
  type Ready,
  readSecret,
  takeLock,
  watchFolder,
  wipe,
  writeReadyFile,
} from './folder.ts';
import { DEFAULT_NODE_ENV, type Options, playedEnvironment, StartupError } from './options.ts';
import { type Closing, type Program, type StartOutput, supervise } from './supervisor.ts';

type Context = {
  root: string;
  env: NodeJS.ProcessEnv;
  output: StartOutput;
  closing: Closing;
  /** Called if the data folder was deleted. */
  onFolderGone(): void;
};

/** Starts everything, one part after the other; `closing` undoes it. @throws StartupError */
export async function startStandalone(options: Options, context: Context): Promise<void> {
  const { root, env, output, closing } = context;
  const say = (line: string) => output.line('standalone', line);
  const files = filesIn(options.dir);
  closing.add(takeLock(options.dir));
  keepPrivate(options.dir);
  ignoreInGit(options.dir);
  const folder = watchFolder([options.dir, files.lock], context.onFolderGone);
  closing.add(folder.stop);
  output.muteWhen(folder.isGone);
  rmSync(files.ready, { force: true }); // left behind by a run that was killed
  if (options.fresh) await wipe(files, say);
  const ports = await choosePorts(options, say);

  const databaseUrl = options.databaseUrl ?? (await openDatabase(files.postgres));
  say('migrating the database');
  const migrations = {
    databaseUrl: options.migrateDatabaseUrl ?? databaseUrl,
    migrationsDir: join(root, 'prisma/migrations'),
  };
  await prepareStores({ ...options, ...migrations }, say);
  const encryptionKey = keepEncryptionKey(files.encryptionKey, textIn(env, 'ENCRYPTION_KEY'), say);
  const callbackSecret =
    readSecret(files.callbackSecret) ?? keepSecret(files.callbackSecret, randomBytes(32).toString('hex'));
  const apiKey = await demoAccountKey(databaseUrl, files.demoKey, new Date());

  const baseUrl = `http://${addressOf(options.host)}:${ports.api}`;
  const sandboxUrl = options.sandboxUrl ?? `http://127.0.0.1:${ports.sandbox}`;
  const setting = {
    options,
    ports,
    databaseUrl,
    encryptionKey,
    callbackSecret,
    sandboxStateFile: files.sandboxState,
    baseUrl,
    sandboxUrl,
  };
  const programs = listPrograms(setting, env);
  say(`starting ${programs.map(({ name }) => name).join(', ')}`);
  const supervisor = supervise(programs, { cwd: root, output });
  closing.add(supervisor.stop, supervisor.kill);
  await supervisor.ready();
  if (closing.hasBegun()) return;

  const ready: Ready = {
    base_url: baseUrl,
    api_key: apiKey,
    sandbox_url: sandboxUrl,
    database_url: databaseUrl,
    redis_url: options.redisUrl,
    settings: listSettings(setting, env),
  };
  writeReadyFile(files.ready, ready);
  closing.add(() => rmSync(files.ready, { force: true }));
  output.plain(
    banner(ready, { dir: options.dir, isUsual: options.isUsualDir }, options.databaseUrl === null, new Date()),
  );

  async function openDatabase(dir: string): Promise<string> {
    say('starting the embedded PostgreSQL');
    const database = await openEmbedded(dir, say).catch((error: Error) => {
      throw new StartupError(error.message);
    });
    closing.add(database.stop, database.quit);
    return database.url;
  }
}

/** The host to connect to for a server that listens on `host`. */
function addressOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Checks that the servers answer, and migrates their schemas. @throws StartupError */
async function prepareStores(
  stores: { databaseUrl: string; redisUrl: string | null; migrationsDir: string },
  say: (line: string) => void,
): Promise<void> {
  const { databaseUrl, redisUrl, migrationsDir } = stores;
  if (redisUrl) await checkRedis(redisUrl, databaseUrl);
  try {
    const { applied } = await migrate({ databaseUrl, migrationsDir });
    if (applied.length > 0) say(`database migrated to ${applied.at(-1)} (migrations applied: ${applied.length})`);
    if (!redisUrl) await migrateQueue(databaseUrl, queuesOf(PROVIDERS.map(({ name }) => name)));
  } catch (error) {
    throw new StartupError(error instanceof Error ? error.message : String(error));
  }
}

async function checkRedis(redisUrl: string, databaseUrl: string): Promise<void> {
  const queue = await openQueue({ redisUrl, databaseUrl, prefix: '{pts}', onError: () => {} });
  try {
    await queue.ping();
  } catch (error) {
    throw new StartupError(`${queue.at} (REDIS_URL) is not responding: ${messageOf(error)}`);
  } finally {
    await queue.close();
  }
}

/** The embedded PostgreSQL, restarted on the same port if it exits. */
async function openEmbedded(dir: string, say: (line: string) => void) {
  const start = (port?: number) =>
    startPostgres({ dir, persistent: true, log: say, ...(port === undefined ? {} : { port }) });
  let server = await start();
  let stopping = false;
  const { url, port } = server;

  async function keepAlive(watched: Postgres): Promise<void> {
    const code = await watched.exited;
    if (stopping) return;
    say(`PostgreSQL exited (code ${code}), restarting it`);
    for (;;) {
      try {
        server = await start(port);
        break;
      } catch (error) {
        say(error instanceof Error ? error.message : String(error));
        await delay(2000);
      }
    }
    if (stopping) await server.stop();
    else void keepAlive(server);
  }
  void keepAlive(server);

  return {
    url,
    async stop() {
      stopping = true;
      await server.stop();
    },
    /** Kills it; its files no longer matter. */
    quit() {
      stopping = true;
      server.quit();
    },
  };
}

type Env = Readonly<Record<string, string | undefined>>;

type Setting = {
  options: Options;
  ports: Ports;
  databaseUrl: string;
  encryptionKey: string;
  callbackSecret: string;
  sandboxStateFile: string;
  baseUrl: string;
  sandboxUrl: string;
};

/** The programs and their environments. The user's own variables take precedence. */
export function listPrograms(setting: Setting, user: Env): Program[] {
  const { options, ports, baseUrl, sandboxUrl } = setting;
  const given = givenIn(user);
  const shared = withOwn(defaults(setting, given), given);
  // Only the API listens where PORT and HOST say; the sandbox carrier is ours alone.
  const sandbox = {
    ...{ ...shared, PORT: String(ports.sandbox), HOST: '127.0.0.1' },
    SANDBOX_CALLBACK_TARGETS: callbackTargets(shared).join(','),
  };
  const api = { ...shared, PORT: String(ports.api), HOST: options.host };
  return [
    ...(options.sandboxUrl ? [] : [program('sandbox', 'sandbox-carrier', sandbox, { url: `${sandboxUrl}/healthz` })]),
    program('api', 'api', api, { url: `${baseUrl}/healthz` }),
    program('poller', 'carrier-poller', shared, { says: /\bready\b/ }),
    program('dispatcher', 'webhook-dispatcher', shared, { says: /\bready\b/ }),
  ];
}

/** The settings of the programs, without their stores and the user's keys of providers, for the operator's commands. */
export function listSettings(setting: Setting, user: Env): Env {
  const given = givenIn(user);
  const { DATABASE_URL, ...settings } = defaults(setting, given);
  const all = withOwn(settings, given);
  return Object.fromEntries(Object.keys(settings).map((name) => [name, all[name]]));
}

/** The user's own settings take precedence, and those that list providers are joined. */
function withOwn(settings: Env, given: Env): Env {
  return { ...settings, ...given, ...mergedOverrides(settings, given) };
}

function givenIn(user: Env): Env {
  return Object.fromEntries(Object.entries(user).filter(([, value]) => value !== ''));
}

/** The file is named after the app, so that `ps` shows which process is which. */
function program(name: string, app: string, env: Env, ready: Program['ready']): Program {
  return { name, args: ['--enable-source-maps', `apps/${app}/dist/${app}.mjs`], env, ready };
}

function defaults(setting: Setting, given: Env): Env {
  const { options, databaseUrl, encryptionKey, callbackSecret, sandboxStateFile, baseUrl, sandboxUrl } = setting;
  return {
    NODE_ENV: DEFAULT_NODE_ENV,
    LOG_FORMAT: 'pretty',
    MANAGEMENT_PORT: '0',
    SHUTDOWN_TIMEOUT_SECONDS: '8',
    DATABASE_URL: databaseUrl,
    QUEUE_PREFIX: SETTINGS.queuePrefix.fallback,
    ENCRYPTION_KEY: encryptionKey,
    PUBLIC_BASE_URL: baseUrl,
    COMPAT_V4: 'true',
    CALLBACK_SECRET: callbackSecret,
    ...(playsCallbacks(given) && { CALLBACK_BASE_URL: baseUrl }),
    SANDBOX_STATE_FILE: sandboxStateFile,
    CHECK_INTERVAL_SECONDS: '3',
    IDLE_CHECK_INTERVAL_SECONDS: '3',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.1/32,::1/128,localhost',
    // Checks every few seconds would soon exceed limits that count by the hour.
    SANDBOX_RATE_LIMITS: 'false',
    ...playedEnvironment(options.providers, sandboxUrl, given),
  };
}

/** Where the aggregators that the sandbox plays send callbacks to: an address that real ones have in their account. */
function callbackTargets({ CALLBACK_BASE_URL: baseUrl, CALLBACK_SECRET: secret }: Env): string[] {
  if (!baseUrl || !secret) return [];
  return PROVIDERS.filter(({ callbacks }) => callbacks !== undefined).map(
    ({ name }) => `${name}=${callbackAddress(name, { baseUrl, secret }).url}`,
  );
}

/** A provider where the user has an account cannot reach an address of this machine. */
function playsCallbacks(given: Env): boolean {
  return PROVIDERS.every((manifest) => !manifest.callbacks || !hasAccount(manifest, given));
}

type Ports = { api: number; sandbox: number };

/** The ports to listen on: the requested ones, or the first free ones from the defaults on. @throws StartupError */
export async function choosePorts(options: Options, say: (line: string) => void): Promise<Ports> {
  const api = await choose('PORT', options.apiPort, options.host, [], say);
  const sandbox = options.sandboxUrl ? 0 : await choose('SANDBOX_PORT', options.sandboxPort, '127.0.0.1', [api], say);
  return { api, sandbox };
}

async function choose(
  variable: string,
  { port, requested }: { port: number; requested: boolean },
  host: string,
  taken: number[],
  say: (line: string) => void,
): Promise<number> {
  for (let candidate = port; candidate <= Math.min(port + 100, 65_535); candidate++) {
    const free = taken.includes(candidate) ? null : await tryPort(candidate, host).catch(unusable(host));
    if (free === null && requested) {
      throw new StartupError(
        `Port ${port} is in use or not permitted. Stop the program that uses it, or set ${variable} to another port.`,
      );
    }
    if (free === null) continue;
    if (candidate !== port) say(`port ${port} is in use, using ${candidate} instead`);
    return free;
  }
  throw new StartupError(`No free port from ${port} on. Set ${variable}.`);
}

/** For the errors of an address at which this machine cannot listen on any port. */
function unusable(host: string): (error: Error) => never {
  return (error) => {
    throw new StartupError(
      `This machine cannot listen on HOST ${host} (${error.message}). Set HOST to one of its addresses.`,
    );
  };
}

/**
 * The API key of the demo account (plan pro): the stored one, or a new one if that was revoked. Creates the account if
 * the stored key has none in this database.
 */
export async function demoAccountKey(databaseUrl: string, keyFile: string, now: Date): Promise<string> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const kept = readSecret(keyFile);
    if (kept && (await findKeyHolder(db, kept))) return kept;
    const ctx = { db, now: () => now };
    const id = kept && (await enabledAccountOf(db, kept));
    const key = id ? await addKey(ctx, { id }) : (await createAccount(ctx, { name: 'demo', plan: 'pro' })).key;
    return keepSecret(keyFile, key.apiKey);
  } finally {
    await db.$disconnect();
  }
}

type InstallationFolder = {
  dir: string;
  /** Whether other commands find the folder automatically, without STANDALONE_DIR. */
  isUsual: boolean;
};

/** The text that `npm start` prints once everything runs. Its commands work when pasted in order. */
export function banner(
  ready: Omit<Ready, 'settings'>,
  { dir, isUsual }: InstallationFolder,
  isEmbedded: boolean,
  now: Date,
): string {
  const api = `${ready.base_url}/api/v1`;
  const key = `-H 'X-API-Key: ${ready.api_key}'`;
  const json = `-H 'Content-Type: application/json'`;
  // New digits make a new parcel, whose journey starts at the first check.
  const number = `SBXEXPRESS${Math.floor(now.getTime() / 1000)}`;
  const here = isUsual ? '' : `STANDALONE_DIR=${quoted(dir)} `;
  return `
  The Parcel Tracking Service is running.

  Console    ${ready.base_url}/console (sign in with the key)
  API key    ${ready.api_key} (kept in ${join(dir, 'demo-key')})
  Docs       ${ready.base_url}/docs
  Base URL   ${ready.base_url}

  In a second terminal in this folder, start a receiver. It registers itself as a webhook and shows the signed pushes
  until you press Ctrl-C. Start it before you register a parcel, because only later events are pushed.

${here}npm run receiver

  In a third terminal, register a sandbox parcel and read it. It is delivered after 20 seconds.

curl -sw '\\n' -X POST ${api}/trackings/create ${key} ${json} -d '{"tracking_number":"${number}"}'

curl -sw '\\n' '${api}/trackings/get?tracking_numbers=${number}' ${key}

  Test everything   ${here}npm run smoke
  Sandbox carrier   ${ready.sandbox_url} (its numbers are explained in docs/sandbox.md)
  Queue             ${ready.redis_url ? 'in Redis (REDIS_URL)' : 'in PostgreSQL'}
  Data              ${isEmbedded ? `${dir} (to start over, run ${here}npm start -- --fresh)` : `your PostgreSQL (DATABASE_URL), with keys in ${dir}`}
  Stop              Ctrl-C
`;
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
