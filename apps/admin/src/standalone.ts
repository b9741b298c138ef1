import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mergedOverrides } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { hasAccount, settingsOf } from '@pts/carriers/providers/manifest';
import { textIn } from '@pts/core/settings/setting';
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
  /** The other settings of its processes. */
  settings: Readonly<Record<string, string>>;
};

/** The local standalone service; null if there is none. @throws Problem if its file cannot be read */
export function findStandalone({ env, root }: Pick<Context, 'env' | 'root'>): Standalone | null {
  const file = join(folderOf({ env, root }), 'ready.json');
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
    settings: (ready.settings ?? {}) as Standalone['settings'],
  };
}

/** The advice if none runs, with the folder that was looked in: one with a folder of its own is found only by its name. */
export function startOne(context: Pick<Context, 'env' | 'root'>): string {
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
    throw new Problem(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * The environment of the services: the given one if it has DATABASE_URL, or otherwise that of the standalone service, with
 * what is given. @throws Problem if there is neither
 */
export function storeEnv(context: Pick<Context, 'env' | 'root' | 'note'>): NodeJS.ProcessEnv {
  if (textIn(context.env, 'DATABASE_URL')) return context.env;
  const standalone = findStandalone(context);
  if (!standalone) throw new Problem(`Set DATABASE_URL, or ${startOne(context)}`);
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
