import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const MANIFESTS = [
  'package.json',
  ...['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/package.json`),
  ),
];

/** Syntax that only a POSIX shell understands: cmd.exe runs programs, joins them by &&, and knows double quotes. */
function onlyPosix(script: string): string[] {
  const constructs: [RegExp, string][] = [
    [/\$/, 'a variable'],
    [/[`;|<>]|(?<!&)&(?!&)|\|\|/, 'an operator of the shell'],
    [/'/, 'single quotes'],
    [/\\/, 'a backslash'],
    [/[*?~]/, 'a pattern of file names'],
    [/(?:^|&&)\s*\w+=/, 'a variable before the command'],
  ];
  const programs = script.split('&&').map((part) => part.trim().split(/\s+/)[0] ?? '');
  return [
    ...constructs.filter(([pattern]) => pattern.test(script)).map(([, name]) => name),
    ...programs.filter((program) => !isPortable(program)).map((program) => `the program ${program}`),
  ];
}

/** npm puts the programs of packages on the PATH of a script, on every system. */
function isPortable(program: string): boolean {
  return ['node', 'npm', 'npx'].includes(program) || existsSync(join(ROOT, 'node_modules/.bin', program));
}

test.each(MANIFESTS)('the scripts of %s run in every shell', (path) => {
  const { scripts = {} } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { scripts?: Record<string, string> };
  const faults = Object.entries(scripts).flatMap(([name, script]) =>
    onlyPosix(script).map((construct) => `${name} has ${construct}: ${script}`),
  );
  expect(faults).toEqual([]);
});

test.each([
  ['exec node scripts/start.mjs', 'the program exec'],
  ['FUZZ_COUNT=1 node scripts/test.mjs', 'a variable before the command'],
  ['node a.mjs && FUZZ_COUNT=1 node b.mjs', 'a variable before the command'],
  ['node scripts/test.mjs $FUZZ_COUNT', 'a variable'],
  ['rm -rf dist && node build.mjs', 'the program rm'],
  ['node a.mjs || true', 'an operator of the shell'],
  ['node a.mjs & node b.mjs', 'an operator of the shell'],
  ["biome ci '.'", 'single quotes'],
  ['node --test src/*.test.js', 'a pattern of file names'],
])('%s is found', (script, construct) => {
  expect(onlyPosix(script)).toContain(construct);
});

test.each(['node scripts/start.mjs', 'tsc -p tsconfig.json && node "scripts/a b.mjs"'])('%s is fine', (script) => {
  expect(onlyPosix(script)).toEqual([]);
});
