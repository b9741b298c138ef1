import { userInfo } from 'node:os';
import { ServiceError } from '@pts/core/errors';
import { showDatabaseAddress } from '@pts/core/settings/database-address';
import { type AuditEntry, appendAudit } from '@pts/db/audit';
import { type Db, isDatabaseUnreachable, lacksRight, lacksTable, openDatabase } from '@pts/db/connection/client';
import { messageOf } from '@pts/db/connection/message';
import { loadConfig } from '@pts/runtime/settings/config';
import type { ServiceContext } from '@pts/service/context';
import { storeEnv } from '../standalone.ts';
import { type Command, type Context, command, type Input, type Report, type Spec } from './command.ts';
import { Problem } from './problem.ts';

/** The dependencies of the account and key commands. */
export type DatabaseDeps = Pick<ServiceContext, 'db' | 'quotas' | 'now'>;

const SETTINGS = ['databaseUrl', 'quotaFree', 'quotaPro', 'quotaEnterprise'] as const;

/** Declares a command that needs the database. */
export function databaseCommand<const T extends readonly string[], const O extends Command['options']>(
  spec: Spec<T, O> & {
    /**
     * Kept in the audit log: `after` a quick change that has succeeded, whose result is shown in any case; `before` anything
     * that takes long, or that only reads; `unseen` what has been read, or it is not shown.
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
        const report = await spec.run(deps, input, context);
        const kept = () => keep(report.accountIds ?? [accountIn(input)]);
        if (audited === 'unseen') await kept();
        return audited === 'after' ? { ...report, ...(await faultOf(kept)) } : report;
      });
    },
  });
}

/** A new key is shown only once: not even a fault of the audit log may hide it. */
async function faultOf(kept: () => Promise<void>): Promise<Pick<Report, 'fault'>> {
  try {
    await kept();
    return {};
  } catch (error) {
    return { fault: `This was done, but the audit log does not have it: ${lastLine(error)}.` };
  }
}

type Kept = {
  input: Readonly<Record<string, unknown>>;
  personal: readonly string[];
  accountId: string | null;
  env: NodeJS.ProcessEnv;
};

/** Commands get no secrets as arguments (`parse.ts`), so all that is not personal may be kept. */
function entryOf(name: string, { input, personal, accountId, env }: Kept): AuditEntry {
  const details = Object.entries(input).filter(
    (entry): entry is [string, string | boolean] =>
      entry[0] !== 'json' && !personal.includes(entry[0]) && (typeof entry[1] === 'string' || entry[1] === true),
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

/** @param variable that the address is from. @throws Problem that names the database whose fault an error is, never its password */
export async function withDatabaseAt<R>(variable: string, url: string, use: (db: Db) => Promise<R>): Promise<R> {
  const address = showDatabaseAddress(url);
  if (address === null)
    throw new Problem(`${variable} must have the form postgresql://user:password@host:port/database`);
  const db = openDatabase({ url, poolSize: 1 });
  try {
    return await use(db);
  } catch (error) {
    throw explain(error, address);
  } finally {
    await db.$disconnect();
  }
}

/** What the operator can do about an error of the database, without a stack; other errors as they are. */
export function explain(error: unknown, address: string): unknown {
  if (error instanceof ServiceError) return new Problem(error.message);
  if (isDatabaseUnreachable(error) || lacksRight(error))
    return new Problem(`The database at ${address} cannot be used: ${lastLine(error)}. \`doctor\` says more.`);
  if (lacksTable(error))
    return new Problem(`The database at ${address} is not up to date. Run \`npm run migrate\` first.`);
  return error;
}

/** Prisma's message starts with the call site; the cause is its last line. */
function lastLine(error: unknown): string {
  const line = messageOf(error).trim().split('\n').at(-1) ?? '';
  return line.replace(/\.$/, '');
}
