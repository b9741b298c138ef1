import { spawnSync } from 'node:child_process';

/** The languages whose tests must run: `all`, or names separated by commas. */
const { REQUIRED_LANGUAGES = '' } = process.env;
const REQUIRED = REQUIRED_LANGUAGES.toLowerCase().split(',');

/** Why a command does not run; undefined if it does. */
export function lacking(command: string, ...args: string[]): string | undefined {
  return spawnSync(command, args).status === 0 ? undefined : `\`${[command, ...args].join(' ')}\` fails`;
}

/**
 * A test of a language that the machine may lack: then its name says so, and it fails if REQUIRED_LANGUAGES has the
 * language.
 * @param lacks why it cannot run; undefined if it can
 */
export function testWith(
  language: string,
  lacks: string | undefined,
  promise: string,
  run: () => Promise<void>,
  timeoutMs?: number,
): void {
  if (lacks === undefined) return void test(promise, run, timeoutMs);
  test(`NOT RUN, because ${lacks}: ${promise}`, () => {
    const isRequired = REQUIRED.includes('all') || REQUIRED.includes(language.toLowerCase());
    if (isRequired) throw new Error(`REQUIRED_LANGUAGES names ${language}, but ${lacks}.`);
  });
}
