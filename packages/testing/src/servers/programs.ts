import { execFile } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, Tether } from '@pts/embedded/machine';
import { eventually } from '../eventually.ts';

type Wanted = {
  /** As it is called on the PATH. */
  program: string;
  from: AptPackage;
  /** The oldest version that will do. */
  since: string;
};

/**
 * A program on the PATH, or through the system's package manager, after saying so.
 * @throws when none can be installed
 */
export async function findProgram({ program, from, since }: Wanted, log: (line: string) => void): Promise<AptServer> {
  const installed = onPath(program);
  if (installed) return { server: installed, env: {} };
  const cached = cachedWithApt(from);
  if (cached) return cached;
  const missing = `This test needs ${program} and found none. Either will do:
  - install ${from.name} (any version from ${since} on) so that ${program} is on the PATH;
  - let apt-get download it: it is unpacked into .cache, nothing is installed.`;
  if (!onPath('apt-get') || !onPath('dpkg-deb')) throw new Error(missing);
  log(
    `there is no ${program} on the PATH: downloading one with apt-get, for these tests only (the system is not changed)`,
  );
  try {
    return await installWithApt(from);
  } catch (error) {
    throw new Error(`${missing}\napt-get: ${error instanceof Error ? error.message.trim() : error}`);
  }
}

const run = promisify(execFile);

/** A server from a package of the system. */
export type AptPackage = {
  name: string;
  /** Further packages that the machine must have. */
  also?: readonly string[];
  /** Its program: the path in the package or, if that has its version, what its name in usr/bin or bin looks like. */
  server: string | RegExp;
  /** A folder below `.cache`: outside of any package, kept between runs, ignored by git. */
  cache: string;
};
/** `home` has the files of the packages. */
type AptServer = { server: string; env: NodeJS.ProcessEnv; home?: string };

const homeOf = ({ cache }: AptPackage) => join(process.cwd(), '.cache', cache);

/** The files that an earlier run has unpacked, if any. */
export function cachedWithApt(wanted: AptPackage): AptServer | undefined {
  const home = homeOf(wanted);
  const server = programIn(home, wanted);
  if (server === undefined) return undefined;
  return { server, env: { LD_LIBRARY_PATH: readFileSync(join(home, 'library-path'), 'utf8') }, home };
}

function programIn(root: string, { server }: AptPackage): string | undefined {
  if (typeof server === 'string') return existsSync(join(root, server)) ? join(root, server) : undefined;
  const programs = ['usr/bin', 'bin'].flatMap((bin) =>
    existsSync(join(root, bin))
      ? readdirSync(join(root, bin)).map((file) => ({ file, path: join(root, bin, file) }))
      : [],
  );
  return programs.find(({ file }) => server.test(file))?.path;
}

/**
 * Downloads a package, with those that it needs and the machine lacks, and unpacks them into a folder of ours. It needs
 * no root and changes nothing on the system: no package gets installed, no service started.
 */
export async function installWithApt(wanted: AptPackage): Promise<AptServer> {
  const home = homeOf(wanted);
  const work = `${home}.${process.pid}`;
  const root = join(work, 'root');
  const apt = (...args: string[]) =>
    run('apt-get', [...privateState(work), '-qq', '-y', ...args], { timeout: 300_000 });
  try {
    for (const folder of ['lists/partial', 'archives/partial', 'root'])
      mkdirSync(join(work, folder), { recursive: true });
    await apt('update');
    await apt('install', '--no-install-recommends', '--download-only', wanted.name, ...(wanted.also ?? []));
    const packages = readdirSync(join(work, 'archives')).filter((file) => file.endsWith('.deb'));
    for (const file of packages) await run('dpkg-deb', ['-x', join(work, 'archives', file), root]);
    if (programIn(root, wanted) === undefined) throw new Error(`apt-get gave no ${wanted.name}`);
    const libraries = libraryFolders(root).map((folder) => join(home, folder));
    writeFileSync(join(root, 'library-path'), libraries.join(':'));
    try {
      renameSync(root, home);
    } catch (error) {
      // Test files run in several processes: another one may have been faster. What it uses must not be replaced.
      if (!existsSync(home)) throw error;
      if (!cachedWithApt(wanted)) {
        rmSync(home, { recursive: true, force: true });
        renameSync(root, home);
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const installed = cachedWithApt(wanted);
  if (!installed) throw new Error(`the unpacked ${wanted.name} was deleted`);
  return installed;
}

function privateState(work: string): string[] {
  const settings = {
    'Dir::State::lists': join(work, 'lists'),
    'Dir::Cache': work,
    'Dir::Cache::archives': join(work, 'archives'),
    'Dir::Log': work,
    'Debug::NoLocking': '1',
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': userInfo().username,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function libraryFolders(root: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.so(\.|$)/.test(path));
  return [...new Set(files.map((path) => dirname(path)))];
}

/** A server of a test. It ends with this process, however that ends; then its folder is removed. */
export type ServerInFolder = {
  /** Resolves with its exit code. */
  exited: Promise<number>;
  /** What it has printed, also when it has ended. Not after `stop`. */
  output(): string;
  /** Ends it at once. */
  kill(): void;
  /** Waits until it has ended and its folder is gone. */
  stop(): Promise<void>;
};

/** @param dir a temporary folder for this server alone */
export function startInFolder(dir: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): ServerInFolder {
  const [program = '', ...args] = command;
  const file = join(dir, 'log');
  const output = openSync(file, 'w');
  // The folder goes with a server that ends on its own: what is open stays readable.
  const log = openSync(file, 'r');
  const tether = new Tether(program, args, { stopSignal: 'TERM', output, remove: dir, env });
  closeSync(output);
  let printed = '';
  const stop = async () => {
    if (!(await tether.stop(10_000))) tether.kill();
    await tether.exited;
    closeSync(log);
    rmSync(dir, { recursive: true, force: true });
  };
  let stopped: Promise<void> | undefined;
  return {
    exited: tether.exited,
    output() {
      printed += readFileSync(log, 'utf8'); // from where it was read to
      return printed.trim();
    },
    kill: () => tether.kill(),
    stop: () => (stopped ??= stop()),
  };
}

/**
 * Waits until `expectReady` does not throw.
 * @throws with what the server has printed, once it is stopped, if it ends before or takes too long
 */
export async function untilReady(
  name: string,
  { exited, output, stop }: ServerInFolder,
  expectReady: () => Promise<unknown>,
): Promise<void> {
  let isAlive = true;
  const died = exited.then((code) => {
    isAlive = false;
    throw new Error(`${name} ended with ${code}`);
  });
  died.catch(() => {});
  try {
    await Promise.race([eventually(async () => isAlive && (await expectReady())), died]);
  } catch (error) {
    const said = output();
    await stop();
    throw new Error(`${error instanceof Error ? error.message : error}:\n${said}`);
  }
}

type OnPort = {
  /** Instead of a free one. */
  port?: number | undefined;
  launch(port: number): ServerInFolder;
  /** @throws as long as it is not ready */
  expectReady(port: number): Promise<unknown>;
};

/**
 * Starts a server on a free port: on another one, if another process binds it first.
 * @throws with what the server has printed
 */
export async function startOnPort(name: string, given: OnPort): Promise<{ port: number; server: ServerInFolder }> {
  for (let attempt = 1; ; attempt++) {
    const port = given.port ?? (await freePort());
    const server = given.launch(port);
    try {
      await untilReady(name, server, () => given.expectReady(port));
      return { port, server };
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

/** Both servers are in one folder, which one of them fills for both. */
const PACKAGES = { name: 'prometheus', also: ['prometheus-alertmanager'], cache: 'prometheus' };

type Given = {
  server: string;
  env: NodeJS.ProcessEnv;
  /** Where it runs. */
  cwd?: string;
  /** By their names; JSON is YAML. */
  files: Readonly<Record<string, object>>;
  /** @param dir the folder with the files, for its own ones, too. */
  args(dir: string, address: string): string[];
};

/**
 * Finds a program of Prometheus' family, or downloads it.
 * @param program as it is called on the PATH, and in its package
 * @param since the oldest version that will do
 */
export const findMonitoring = (program: string, since: string) =>
  findProgram(
    { program, from: { ...PACKAGES, server: `usr/bin/${program}` }, since },
    // Test files have no terminal of their own: jest shows what they write to stderr.
    (line) => void process.stderr.write(`${line}\n`),
  );

/** Starts a server that answers `/-/ready` once it is up, on a free port of 127.0.0.1. */
export async function startReadyServer(given: Given): Promise<{ url: string; stop(): Promise<void> }> {
  const { server, env, cwd = '/', files, args } = given;
  const program = basename(server);
  const dir = mkdtempSync(join(tmpdir(), `pts-${program}-`));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), JSON.stringify(content));
  const address = `127.0.0.1:${await freePort()}`;
  const inFolder = ['/bin/sh', '-c', 'cd "$0" && exec "$@"', cwd, server, ...args(dir, address)];
  const running = startInFolder(dir, inFolder, env);
  await untilReady(program, running, () => answers(program, address));
  return { url: `http://${address}`, stop: running.stop };
}

async function answers(program: string, address: string): Promise<void> {
  const { ok, status } = await fetch(`http://${address}/-/ready`);
  if (!ok) throw new Error(`${program} answers ${status}`);
}

/** The path of a program that is installed; undefined if it is not. */
export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  // Where system programs are, also when a plain user's PATH leaves it out.
  return [...folders, '/usr/sbin', '/usr/local/sbin'].map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return existsSync(path);
  } catch {
    return false;
  }
}
