import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { textIn } from '@pts/core/settings';
import { banner } from './banner.ts';
import type { Closing } from './closing.ts';
import { demoAccountKey } from './demo-account.ts';
import { filesIn, ignoreInGit, keepPrivate, wipe } from './files.ts';
import { watchFolder } from './folder.ts';
import { keepEncryptionKey, keepSecret, readSecret } from './kept-secret.ts';
import { takeLock } from './lock.ts';
import type { Options } from './options.ts';
import type { Output } from './output.ts';
import { choosePorts } from './ports.ts';
import { openEmbedded } from './postgres.ts';
import { Problem } from './problem.ts';
import { listPrograms, listSettings } from './programs.ts';
import { type Ready, writeReadyFile } from './ready-file.ts';
import { prepareStores } from './stores.ts';
import { supervise } from './supervisor.ts';

type Context = {
  root: string;
  env: NodeJS.ProcessEnv;
  output: Output;
  closing: Closing;
  /** Called if the data folder was deleted. */
  onFolderGone(): void;
};

/** Starts everything, one part after the other; `closing` undoes it. @throws Problem */
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
      throw new Problem(error.message);
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
