import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { Provider } from '@pts/carriers/provider';
import { knownProviders, mergedOverrides, providerSettings } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { hasAccount, settingsOf } from '@pts/carriers/providers/manifest';
import { CommandError, type Input, placeholder, type Spec, UsageError } from '@pts/client/cli/kit';
import { ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { showDatabaseAddress, textIn } from '@pts/core/settings';
import { type AuditEntry, appendAudit } from '@pts/db/audit';
import { type Db, openDatabase } from '@pts/db/connection';
import { isDatabaseUnreachable, lacksRight, lacksTable, messageOf } from '@pts/db/errors';
import { BACKGROUND_QUEUE, DELIVER_QUEUE, queuesOf } from '@pts/queue/catalog';
import { openQueue, type QueueConnection } from '@pts/queue/connection';
import { loadConfig } from '@pts/runtime/settings/config';
import { STORE_SETTINGS } from '@pts/runtime/settings/settings';
import { hasSandbox } from '@pts/service/accounts';
import type { ServiceContext } from '@pts/service/context';
import { type Command, type Context, command, type Report } from './command.ts';
import { readUrl } from './values.ts';

/** The contents of the ready file of `npm start`. */
type Standalone = {
  file: string;
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
  redisUrl: string | null;
  /** The other settings of its processes. */
  settings: Readonly<Record<string, string>>;
};

/** The local standalone service; null if there is none. @throws CommandError if its file cannot be read */
export function findStandalone({ env, root }: Pick<Context, 'env' | 'root'>): Standalone | null {
  const file = join(folderOf({ env, root }), 'ready.json');
  const ready = parse(file);
  if (ready === null) return null;
  const text = (name: string): string => {
    const value = ready[name];
    if (typeof value !== 'string') throw new CommandError(`${file} has no ${name}`);
    return value;
  };
  return {
    file,
    baseUrl: text('base_url'),
    apiKey: text('api_key'),
    databaseUrl: text('database_url'),
    redisUrl: typeof ready.redis_url === 'string' ? ready.redis_url : null,
    settings: (ready.settings ?? {}) as Standalone['settings'],
  };
}

/** The base URL and the key. The key of the standalone service is sent only to that service. @throws UsageError */
export function readTarget(
  { env, root }: Pick<Context, 'env' | 'root'>,
  given: { 'base-url': string | undefined },
): { baseUrl: string; apiKey: string } {
  const option = given['base-url'] ?? (env.BASE_URL?.trim() || undefined);
  const wanted = option === undefined ? undefined : readUrl(given['base-url'] ? '--base-url' : 'BASE_URL', option);
  const key = env.API_KEY?.trim() || undefined;
  const standalone = wanted && key ? null : findStandalone({ env, root });
  const baseUrl = wanted ?? standalone?.baseUrl;
  if (!baseUrl) throw new UsageError(`Set BASE_URL and API_KEY, or ${startOne({ env, root })}`);
  const apiKey = key ?? (standalone?.baseUrl === baseUrl ? standalone.apiKey : undefined);
  if (!apiKey) throw new UsageError(`Set API_KEY in the environment to a key of ${baseUrl}.`);
  // An invalid header value would fail later and less clearly.
  if (!/^[!-~]+$/.test(apiKey)) throw new UsageError('API_KEY contains invalid characters.');
  return { baseUrl, apiKey };
}

/**
 * The advice if none runs, with the folder that was looked in: one with a folder of its own is found only by its name.
 */
function startOne(context: Pick<Context, 'env' | 'root'>): string {
  return `start a service with npm start: none runs in ${folderOf(context)} (STANDALONE_DIR names another folder).`;
}

function folderOf({ env, root }: Pick<Context, 'env' | 'root'>): string {
  return resolve(root, env.STANDALONE_DIR || '.standalone');
}

function parse(file: string): Record<string, unknown> | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) ?? {};
  } catch (error) {
    throw new CommandError(`Cannot read ${file}: ${messageOf(error)}`);
  }
}

/**
 * The environment of the services: the given one if it has DATABASE_URL, or otherwise that of the standalone service,
 * with what is given. @throws CommandError if there is neither
 */
export function storeEnv(context: Pick<Context, 'env' | 'root' | 'note'>): NodeJS.ProcessEnv {
  if (textIn(context.env, 'DATABASE_URL')) return context.env;
  const standalone = findStandalone(context);
  if (!standalone) throw new CommandError(`Set DATABASE_URL, or ${startOne(context)}`);
  context.note(`DATABASE_URL is not set: using the database of the standalone service (${standalone.file}).`);
  const { settings, databaseUrl, redisUrl } = standalone;
  const given = Object.fromEntries(Object.entries(context.env).filter(([, value]) => value?.trim()));
  // The credentials of an account do not go to the sandbox that plays its provider.
  const own = PROVIDERS.filter((manifest) => hasAccount(manifest, given));
  const variables = new Set(own.flatMap(settingsOf).map(({ env }) => env));
  return {
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => !variables.has(name))),
    ...given,
    ...mergedOverrides(
      settings,
      given,
      own.map(({ name }) => name),
    ),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl ?? '',
  };
}

type ServiceSettings = Pick<
  ServiceContext,
  'providers' | 'sandbox' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds' | 'retentionDays'
>;

/**
 * The settings that the verbs of the API need, from an environment like that of the services.
 * @throws ConfigError
 */
export function serviceSettings(env: NodeJS.ProcessEnv): ServiceSettings {
  const config = loadConfig(env, [
    'checkIntervalSeconds',
    'idleCheckIntervalSeconds',
    'callbackBaseUrl',
    'callbackSafetyNetSeconds',
    'webhookRetentionDays',
  ]);
  const providers = providersIn(env);
  return {
    providers,
    sandbox: hasSandbox(providers),
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    safetyNetSeconds: config.callbackBaseUrl === undefined ? null : config.callbackSafetyNetSeconds,
    retentionDays: config.webhookRetentionDays,
  };
}

/** The providers that are on in this environment, with their limits. @throws ConfigError */
export function providersIn(env: NodeJS.ProcessEnv): Provider[] {
  loadConfig(env, [], providerSettings({ connects: false }));
  return knownProviders(env);
}

/** The dependencies of the account and key commands. */
export type DatabaseDeps = Pick<ServiceContext, 'db' | 'quotas' | 'now'>;

const SETTINGS = ['databaseUrl', 'quotaFree', 'quotaPro', 'quotaEnterprise'] as const;

/** Declares a command that needs the database. */
export function databaseCommand<const T extends readonly string[], const O extends Command['options']>(
  spec: Spec<T, O> & {
    /**
     * Kept in the audit log: `after` a quick change that has succeeded, whose result is shown in any case; `before`
     * anything that takes long, or that only reads; `unseen` what has been read, or it is not shown.
     */
    audited?: 'before' | 'after' | 'unseen';
    /** Arguments and options that the audit log does not keep, because its entries outlive the account. */
    personal?: readonly (T[number] | (keyof O & string))[];
    run(deps: DatabaseDeps, input: Input<T, O>, context: Context): Promise<Report>;
  },
): Command {
  const { audited, personal = [], ...more } = spec;
  return command<T, O>({
    ...more,
    run: async (given, input) => {
      const env = storeEnv(given);
      const context = { ...given, env };
      return withDatabase(context, async (deps) => {
        const keep = async (accountIds: readonly (string | null)[]) => {
          for (const accountId of accountIds)
            await appendAudit(deps.db, entryOf(spec.name, { input, personal, accountId, env }));
        };
        if (audited === 'before') await keep([accountIn(input)]);
        const report = await spec.run(deps, input, context).catch((error) => {
          throw asUsage(error, spec);
        });
        const kept = () => keep(report.accountIds ?? [accountIn(input)]);
        if (audited === 'unseen') await kept();
        return audited === 'after' ? { ...report, ...(await faultOf(kept)) } : report;
      });
    },
  });
}

/**
 * A fault of a field as one of the argument or option that sets it. Without these, the command line is not at fault.
 */
function asUsage(error: unknown, { takes, options }: Spec<readonly string[], Command['options']>): unknown {
  if (!(error instanceof ServiceError)) return error;
  const faults = error.fields.map(({ field, message }) => {
    const name = field.replace(/(_at|\.\d+)$/, '');
    const given = name in options ? `--${name}` : takes.includes(name) ? placeholder(name) : null;
    return { field: given ?? field, message, isGiven: given !== null };
  });
  return faults.some(({ isGiven }) => isGiven) ? new UsageError(`${message('invalid', { faults })}`) : error;
}

/** A new key is shown only once: not even a fault of the audit log may hide it. */
async function faultOf(kept: () => Promise<void>): Promise<Pick<Report, 'fault'>> {
  try {
    await kept();
    return {};
  } catch (error) {
    return { fault: `The change was made, but it could not be recorded in the audit log: ${lastLine(error)}.` };
  }
}

type Kept = {
  input: Readonly<Record<string, unknown>>;
  personal: readonly string[];
  accountId: string | null;
  env: NodeJS.ProcessEnv;
};

/** Commands get no secrets as arguments (`kit.ts`), so all that is not personal may be kept. */
function entryOf(name: string, { input, personal, accountId, env }: Kept): AuditEntry {
  const details = Object.entries(input).filter(
    (entry): entry is [string, string | boolean] =>
      !personal.includes(entry[0]) && (typeof entry[1] === 'string' || entry[1] === true),
  );
  return {
    actor: `command ${env.SUDO_USER || env.USER || env.USERNAME || userOfProcess()}`,
    action: name,
    accountId,
    details: Object.fromEntries(details),
  };
}

/** In a container, or under cron, the environment does not name the user. */
function userOfProcess(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** The account that the command line names. */
function accountIn({ id, accountId = id }: Readonly<Record<string, unknown>>): string | null {
  return typeof accountId === 'string' ? accountId.slice(0, 24) : null;
}

async function withDatabase<R>(
  { env, now }: Pick<Context, 'env' | 'now'>,
  use: (deps: DatabaseDeps) => Promise<R>,
): Promise<R> {
  const config = loadConfig(env, SETTINGS);
  const quotas = { free: config.quotaFree, pro: config.quotaPro, enterprise: config.quotaEnterprise };
  return withDatabaseAt('DATABASE_URL', config.databaseUrl, (db) => use({ db, quotas, now }));
}

/**
 * @param variable that the address is from.
 * @throws CommandError that names the database whose fault an error is, never its password
 */
export async function withDatabaseAt<R>(variable: string, url: string, use: (db: Db) => Promise<R>): Promise<R> {
  const address = showDatabaseAddress(url);
  if (address === null)
    throw new CommandError(`${variable} must have the form postgresql://user:password@host:port/database`);
  const db = openDatabase({ url, poolSize: 1 });
  try {
    return await use(db);
  } catch (error) {
    throw explain(error, address);
  } finally {
    await db.$disconnect();
  }
}

/** An error of the database as advice to the operator, without a stack; other errors as they are. */
function explain(error: unknown, address: string): unknown {
  if (error instanceof ServiceError) return new CommandError(error.message);
  if (isDatabaseUnreachable(error) || lacksRight(error))
    return new CommandError(
      `The database at ${address} cannot be used: ${lastLine(error)}. For details, run \`doctor\`.`,
    );
  if (lacksTable(error))
    return new CommandError(`The database at ${address} is not up to date. Run \`npm run migrate\` first.`);
  return error;
}

/** Prisma's message starts with the call site; the cause is its last line. */
function lastLine(error: unknown): string {
  const line = messageOf(error).trim().split('\n').at(-1) ?? '';
  return line.replace(/\.$/, '');
}

/**
 * Opens the queue of the services for one command, which also gets their environment.
 * @throws CommandError if its store does not answer
 */
export async function withQueue<R>(
  context: Context,
  use: (queue: QueueConnection, env: NodeJS.ProcessEnv) => Promise<R>,
): Promise<R> {
  const env = storeEnv(context);
  const config = loadConfig(env, STORE_SETTINGS);
  const queue = await openQueue({ ...config, prefix: config.queuePrefix, onError: () => {} });
  try {
    await queue.ping().catch((error: unknown) => {
      throw new CommandError(`The queue in ${queue.at} cannot be reached: ${messageOf(error)}`);
    });
    return await use(queue, env);
  } catch (error) {
    throw queue.store === 'postgres' ? explain(error, showDatabaseAddress(config.databaseUrl) ?? '') : error;
  } finally {
    await queue.close();
  }
}

/** The queues of which some process takes jobs. */
export const ALL_QUEUES = queuesOf(PROVIDERS.map(({ name }) => name));

/** @throws UsageError if no process ever takes jobs of a queue with this name */
export function knownQueue(name: string): string {
  if (!ALL_QUEUES.includes(name))
    throw new UsageError(
      `Unknown queue "${name}". The queues are ${DELIVER_QUEUE}, ${BACKGROUND_QUEUE} and query-PROVIDER. To list them, run \`queues depth\`.`,
    );
  return name;
}
