import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { filesFromNpm } from './npm-files.ts';

/** How a browser is started: for playwright-core's `launch`. */
export type ChromiumProgram = { executablePath: string; args: string[]; env: Record<string, string> };

const PACKAGE = { name: '@sparticuz/chromium', version: '138.0.2' };
const HOME = `chromium-${PACKAGE.version}`;
/** The tests open only pages of this service, so a sandbox, which containers often forbid, protects nothing. */
const ARGS = ['--no-sandbox', '--font-render-hinting=none'];
/** What the package's build lacks: a zygote's sandbox, and libraries for a GPU. */
const ARGS_OF_THE_PACKAGE = ['--no-zygote', '--disable-gpu'];
const NO_CHROMIUM =
  'The browser tests could not install their Chromium. On another platform than Linux on x64, set CHROMIUM_PATH to the program of one.';

/**
 * The Chromium that npm's @sparticuz/chromium brings, with fonts of its own: what a test sees does not depend on the browsers and
 * fonts of a machine. CHROMIUM_PATH names another one.
 * @throws an Error that says what to do if it cannot be installed.
 */
export async function findChromium(log: (line: string) => void): Promise<ChromiumProgram> {
  const named = process.env.CHROMIUM_PATH;
  if (named) return { executablePath: named, args: ARGS, env: ownEnv() };
  try {
    return await fromNpm(log);
  } catch (error) {
    throw new Error(`${NO_CHROMIUM}\n${error instanceof Error ? error.message : error}`);
  }
}

async function fromNpm(log: (line: string) => void): Promise<ChromiumProgram> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `npm's @sparticuz/chromium is for Linux on x64, and this is ${process.platform} on ${process.arch}`,
    );
  if (!existsSync(join(process.cwd(), '.cache', HOME)))
    log('installing the Chromium of the browser tests from npm, into .cache');
  const home = await filesFromNpm(HOME, PACKAGE, (packageDir, into) => {
    const unpacked = (name: string) => brotliDecompressSync(readFileSync(join(packageDir, 'bin', name)));
    writeFileSync(join(into, 'chromium'), unpacked('chromium.br'), { mode: 0o755 });
    // The libraries that a bare machine lacks, and fonts.
    for (const name of ['al2023.tar.br', 'fonts.tar.br'])
      execFileSync('tar', ['-x', '-C', into], { input: unpacked(name) });
    writeFileSync(join(into, 'fonts.conf'), fontsConf(join(process.cwd(), '.cache', HOME)));
  });
  return {
    executablePath: join(home, 'chromium'),
    args: [...ARGS, ...ARGS_OF_THE_PACKAGE],
    env: { ...ownEnv(), LD_LIBRARY_PATH: join(home, 'lib'), FONTCONFIG_PATH: home, LC_ALL: 'C.UTF-8' },
  };
}

/** Only the fonts of `.cache/fonts` and of the package: those of the machine would decide how wide a text is. */
function fontsConf(home: string): string {
  const folders = [join(process.cwd(), '.cache/fonts'), join(home, 'fonts')];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  ${folders.map((folder) => `<dir>${folder}</dir>`).join('\n  ')}
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}

function ownEnv(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
