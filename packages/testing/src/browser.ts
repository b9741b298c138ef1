import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, inflateSync } from 'node:zlib';

/** How a browser is started: for playwright-core's `launch`. */
type ChromiumProgram = { executablePath: string; args: string[]; env: Record<string, string> };

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

const FONT_PACKAGE = { name: '@openfonts/noto-sans-sc_all', version: '1.44.1' };
const WEIGHTS = [400, 700];

/** Puts Noto Sans SC into `.cache/fonts`, where the Chromium of the tests looks: a bare machine has no Chinese font. */
export async function installChineseFont(): Promise<void> {
  await filesFromNpm('fonts', FONT_PACKAGE, (packageDir, into) => {
    for (const weight of WEIGHTS) {
      const woff = readFileSync(join(packageDir, `files/noto-sans-sc-all-${weight}.woff`));
      writeFileSync(join(into, `noto-sans-sc-${weight}.ttf`), sfntOf(woff));
    }
  });
}

/** The font in a WOFF 1.0 file, which Chromium does not take from the system: the same tables, uncompressed. */
function sfntOf(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, at) => tableAt(woff, 44 + 20 * at));
  const power = 2 ** Math.floor(Math.log2(count));
  const head = Buffer.alloc(12 + 16 * count);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  head.writeUInt16BE(power * 16, 6);
  head.writeUInt16BE(Math.log2(power), 8);
  head.writeUInt16BE((count - power) * 16, 10);
  const parts = [head];
  let offset = head.length;
  for (const [n, { tag, checksum, data }] of tables.entries()) {
    const entry = 12 + 16 * n;
    tag.copy(head, entry);
    checksum.copy(head, entry + 4);
    head.writeUInt32BE(offset, entry + 8);
    head.writeUInt32BE(data.length, entry + 12);
    const padded = Buffer.concat([data, Buffer.alloc(-data.length & 3)]);
    parts.push(padded);
    offset += padded.length;
  }
  return Buffer.concat(parts);
}

function tableAt(woff: Buffer, entry: number) {
  const offset = woff.readUInt32BE(entry + 4);
  const packedLength = woff.readUInt32BE(entry + 8);
  const packed = woff.subarray(offset, offset + packedLength);
  return {
    tag: woff.subarray(entry, entry + 4),
    checksum: woff.subarray(entry + 16, entry + 20),
    data: packedLength < woff.readUInt32BE(entry + 12) ? inflateSync(packed) : packed,
  };
}

const run = promisify(execFile);
const INSTALL_MS = 300_000;

/**
 * Makes files from a package of npm, once: below `.cache`, outside of the dependencies, ignored by git.
 * @param make writes them into `into`, from the package's own folder
 * @returns the folder of the files
 */
async function filesFromNpm(
  name: string,
  npmPackage: { name: string; version: string },
  make: (packageDir: string, into: string) => void | Promise<void>,
): Promise<string> {
  const home = join(process.cwd(), '.cache', name);
  if (existsSync(home)) return home;
  mkdirSync(dirname(home), { recursive: true });
  const work = mkdtempSync(`${home}.`);
  try {
    const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
    const [command = 'npm', ...first] = npm;
    const options = ['--prefix', work, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run(command, [...first, 'install', ...options, `${npmPackage.name}@${npmPackage.version}`], {
      timeout: INSTALL_MS,
      cwd: work,
    });
    const into = join(work, 'made');
    mkdirSync(into);
    await make(join(work, 'node_modules', npmPackage.name), into);
    try {
      renameSync(into, home);
    } catch (error) {
      // Another process has been faster.
      if (!existsSync(home)) throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return home;
}
