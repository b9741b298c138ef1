import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '@pts/db/connection/message';
import type { Context } from './command-line/command.ts';
import { Problem } from './command-line/problem.ts';

/** The contents of the ready file of `npm start`. */
export type Standalone = {
  file: string;
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
  redisUrl: string | null;
  /** From a file of its own; null if it cannot be read. */
  encryptionKey: string | null;
};

/** The local standalone service; null if there is none. @throws Problem if its file cannot be read */
export function findStandalone({ env, root }: Pick<Context, 'env' | 'root'>): Standalone | null {
  const dir = folderOf({ env, root });
  const file = join(dir, 'ready.json');
  const ready = parse(file);
  if (ready === null) return null;
  const text = (name: string): string => {
    const value = ready[name];
    if (typeof value !== 'string') throw new Problem(`${file} has no ${name}`);
    return value;
  };
  return {
    file,
    baseUrl: text('base_url'),
    apiKey: text('api_key'),
    databaseUrl: text('database_url'),
    redisUrl: typeof ready.redis_url === 'string' ? ready.redis_url : null,
    encryptionKey: readSecret(join(dir, 'encryption-key')),
  };
}

/** The advice if none runs, with the folder that was looked in: one with a folder of its own is found only by its name. */
export function startOne(context: Pick<Context, 'env' | 'root'>): string {
  return `start a service with npm start: none runs in ${folderOf(context)} (STANDALONE_DIR names another folder).`;
}

function folderOf({ env, root }: Pick<Context, 'env' | 'root'>): string {
  return resolve(root, env.STANDALONE_DIR || '.standalone');
}

function readSecret(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function parse(file: string): Record<string, unknown> | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) ?? {};
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * The environment with the stores: the given one if it has DATABASE_URL, or otherwise one with those of the
 * standalone service and its key. @throws Problem if there is neither
 */
export function storeEnv(context: Pick<Context, 'env' | 'root' | 'note'>): NodeJS.ProcessEnv {
  if (context.env.DATABASE_URL?.trim()) return context.env;
  const standalone = findStandalone(context);
  if (!standalone) throw new Problem(`Set DATABASE_URL, or ${startOne(context)}`);
  context.note(`DATABASE_URL is not set: using the database of the standalone service (${standalone.file}).`);
  return {
    ...context.env,
    DATABASE_URL: standalone.databaseUrl,
    REDIS_URL: standalone.redisUrl ?? '',
    ENCRYPTION_KEY: context.env.ENCRYPTION_KEY?.trim() || (standalone.encryptionKey ?? ''),
  };
}
