import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { rootOf } from '../request.ts';
import { EXIT } from './errors.ts';
import { CommandError } from './kit.ts';

/** The settings that `pts` remembers. */
type Stored = { url?: string; api_key?: string; listen_secret?: string };

export type Settings = {
  /** Where they are stored. */
  path: string;
  url: string | undefined;
  apiKey: string | undefined;
  listenSecret: string | undefined;
  /** Where the address and the key come from. */
  source: { url: 'PTS_URL' | 'file' | 'none'; apiKey: 'PTS_API_KEY' | 'file' | 'none' };
  /** Stores some of them, readable by the user alone. Undefined removes. */
  store(change: { [K in keyof Stored]: Stored[K] | undefined }): void;
};

export type SettingsSource = {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
};

/** Reads the file of settings; the environment wins. @throws CommandError if the file is damaged */
export function readSettings(place: SettingsSource): Settings {
  const { env } = place;
  const path = pathOf(place);
  const stored = read(path);
  // The stored key is for the stored address: no other one gets it.
  const isElsewhere = env.PTS_URL && rootOf(env.PTS_URL) !== rootOf(stored.url ?? '');
  const key = isElsewhere ? undefined : stored.api_key;
  const of = <N extends 'PTS_URL' | 'PTS_API_KEY'>(name: N, value: string | undefined) =>
    env[name] ? name : value === undefined ? 'none' : 'file';
  return {
    path,
    url: env.PTS_URL || stored.url,
    apiKey: env.PTS_API_KEY || key,
    listenSecret: env.PTS_LISTEN_SECRET || stored.listen_secret,
    source: { url: of('PTS_URL', stored.url), apiKey: of('PTS_API_KEY', key) },
    store: (change) => write(path, { ...read(path), ...change }),
  };
}

/** In the directory that the system has for settings of a user. */
export function pathOf({ env, platform, home }: SettingsSource): string {
  if (platform === 'win32')
    return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), 'pts', 'config.json');
  const folder =
    env.XDG_CONFIG_HOME ||
    posix.join(home, ...(platform === 'darwin' ? ['Library', 'Application Support'] : ['.config']));
  return posix.join(folder, 'pts', 'config.json');
}

function read(path: string): Stored {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CommandError(`Cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below, as any other text that is not a JSON object.
  }
  throw new CommandError(`${path} is damaged. Delete it, then run \`pts login\`.`, EXIT.usage);
}

/** Atomically, and never readable by others, not even for a moment. */
function write(path: string, settings: object): void {
  const partial = `${path}.${process.pid}`;
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(partial, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    // The mode of a new file does not apply to one that is there already.
    chmodSync(partial, 0o600);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new CommandError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
