import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { OptionFault } from '../parts/option-values.ts';

/** A PostgreSQL with the headers that an extension is built with; the one in node_modules has none. */
const POSTGRES = 'embedded-postgres==18.6.3';
const CITUS = '14.0.1';
/** Kept between runs, ignored by git. */
const HOME = resolve('.cache/citus');

const NEEDED = `citus builds Citus ${CITUS} (about 3 minutes of CPU). It needs
  - CITUS_SOURCE=<dir>, a checkout of the tag v${CITUS} of github.com/citusdata/citus;
  - python3 with pip, which downloads ${POSTGRES} from PyPI; gcc, make and zlib's headers.
Everything is built in .cache/citus; the system is not changed.`;

/**
 * The folder with bin/ and lib/ of a PostgreSQL that can load Citus, built by an earlier run or now.
 * @throws OptionFault that says what is missing.
 */
export async function citusBinaries(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const binaries = join(HOME, 'postgres/embedded_postgres/pginstall');
  if (existsSync(join(binaries, 'lib/citus.so'))) return binaries;
  const source = sourceIn(env.CITUS_SOURCE);
  rmSync(HOME, { recursive: true, force: true });
  const build = join(HOME, 'build');
  mkdirSync(build, { recursive: true });
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, args, { cwd: build, maxBuffer: 64 * 1024 * 1024 });
  console.error(`citus: downloading ${POSTGRES} with pip`);
  await run('python3', '-m', 'pip', 'install', '--quiet', '--no-deps', '--target', join(HOME, 'postgres'), POSTGRES);
  console.error(`citus: building Citus ${CITUS}`);
  acceptGcc(join(binaries, 'lib/pgxs/src/Makefile.global'));
  await run(
    join(source, 'configure'),
    `PG_CONFIG=${join(binaries, 'bin/pg_config')}`,
    `LDFLAGS=-Wl,-rpath,${join(binaries, 'lib')}`,
    ...['--without-libcurl', '--without-lz4', '--without-zstd'],
  );
  await run('make', `-j${availableParallelism()}`);
  // One after the other: what it installs is made twice at once otherwise.
  await run('make', 'install');
  return binaries;
}

/** The PostgreSQL was built with a newer GCC, one of whose warnings Debian's does not know. */
function acceptGcc(makefile: string): void {
  writeFileSync(makefile, readFileSync(makefile, 'utf8').replaceAll('-Wmissing-variable-declarations', ''));
}

function sourceIn(dir: string | undefined): string {
  if (dir === undefined || !existsSync(join(dir, 'configure'))) throw new OptionFault(NEEDED);
  const version = /^PACKAGE_VERSION='(.*)'/m.exec(readFileSync(join(dir, 'configure'), 'utf8'))?.[1];
  if (version !== CITUS) throw new OptionFault(`${dir} has Citus ${version}.\n${NEEDED}`);
  return resolve(dir);
}
