import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { filesFromNpm } from './npm-files.ts';

/** How a browser is started: for playwright-core's `launch`. */
export type ChromiumProgram = { executablePath: string; args: string[]; env: Record<string, string> };

const PACKAGE = { name: '@sparticuz/chromium', version: '138.0.2' };
const HOME = `chromium-${PACKAGE.version}`;
/** Wider than the fonts of most systems, and the default of some: a layout that holds with it holds with those, too. */
const WIDE_FONTS = { name: 'dejavu-fonts-ttf', version: '2.37.3' };
const WIDE_FILES = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf'];
/** The tests open only pages of this service, so a sandbox, which containers often forbid, protects nothing. */
const ARGS = ['--no-sandbox', '--font-render-hinting=none'];
/** What the package's build lacks: a zygote's sandbox, and libraries for a GPU. */
const ARGS_OF_THE_PACKAGE = ['--no-zygote', '--disable-gpu'];
const NO_CHROMIUM =
  'The browser tests could not install their Chromium. On another platform than Linux on x64, set CHROMIUM_PATH to the program of one.';

/**
 * The Chromium that npm's @sparticuz/chromium brings, with fonts from npm: what a test sees does not depend on the
 * browsers and fonts of a machine. CHROMIUM_PATH names another one.
 * @param fonts `wide` are those of tests; `pictures` are of a usual width, with Chinese ones if they were installed.
 * @throws an Error that says what to do if it cannot be installed.
 */
export async function findChromium(
  log: (line: string) => void,
  fonts: 'wide' | 'pictures' = 'wide',
): Promise<ChromiumProgram> {
  const named = process.env.CHROMIUM_PATH;
  try {
    const conf = fonts === 'wide' ? { FONTCONFIG_FILE: join(await wideFonts(), 'fonts.conf') } : {};
    if (named) return { executablePath: named, args: ARGS, env: { ...ownEnv(), ...conf } };
    const program = await fromNpm(log);
    return { ...program, env: { ...program.env, ...conf } };
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
    writeFileSync(join(into, 'fonts.conf'), confOf(join(process.cwd(), '.cache', HOME), ['../fonts', 'fonts']));
  });
  return {
    executablePath: join(home, 'chromium'),
    args: [...ARGS, ...ARGS_OF_THE_PACKAGE],
    env: { ...ownEnv(), LD_LIBRARY_PATH: join(home, 'lib'), FONTCONFIG_PATH: home, LC_ALL: 'C.UTF-8' },
  };
}

function wideFonts(): Promise<string> {
  const name = `wide-fonts-${WIDE_FONTS.version}`;
  return filesFromNpm(name, WIDE_FONTS, (packageDir, into) => {
    mkdirSync(join(into, 'fonts'));
    for (const file of WIDE_FILES) copyFileSync(join(packageDir, 'ttf', file), join(into, 'fonts', file));
    writeFileSync(join(into, 'fonts.conf'), confOf(join(process.cwd(), '.cache', name), ['fonts']));
  });
}

/** Only these fonts: those of the machine would decide how wide a text is. */
function confOf(home: string, folders: readonly string[]): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  ${folders.map((folder) => `<dir>${join(home, folder)}</dir>`).join('\n  ')}
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}

function ownEnv(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
