// npm run audit: fails on known vulnerabilities of dependencies, except those that
// scripts/parts/accepted-advisories.mjs accepts with a reason. Without a registry that answers, it says so and passes;
// `--online` makes that a failure.
import { execFile } from 'node:child_process';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { ACCEPTED } from './parts/accepted-advisories.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';
import { isMain, ROOT } from './parts/lib.mjs';

/**
 * @param report of `npm audit --json`
 * @returns null if it is none, because the registry did not answer; otherwise a line for each advisory that is not
 *   accepted
 */
export function faultsOf(report, accepted, today) {
  if (report === null || typeof report.vulnerabilities !== 'object') return null;
  const found = new Map();
  // A text names another package of the report, whose advisory is there.
  for (const { via } of Object.values(report.vulnerabilities))
    for (const advisory of via.filter((each) => typeof each === 'object')) found.set(idOf(advisory), advisory);
  return [...found].flatMap(([id, { name, severity, title, url }]) => {
    const entry = accepted[id];
    if (entry && entry.until >= today) return [];
    const expired = entry ? ` (accepted until ${entry.until}: ${entry.reason})` : '';
    return [`${severity}: ${name}: ${title}: ${url}${expired}`];
  });
}

const idOf = ({ url = '', source }) => /GHSA(-[a-z0-9]{4}){3}/.exec(url)?.[0] ?? String(source);

/** The answer of `npm audit`: its report, or why there is none. */
async function ask(environment) {
  // The same on every system: npm is a script beside node there, or on the PATH.
  const npm = environment.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  // Where the network drops packets, npm would wait for a quarter of an hour.
  const patience = ['--fetch-retries=0', '--fetch-timeout=30000'];
  const options = { cwd: ROOT, env: environment, maxBuffer: 64 * 1024 * 1024 };
  // npm also fails if it has found something.
  const { stdout } = await promisify(execFile)(command, [...args, 'audit', '--json', ...patience], options).catch(
    (error) => error,
  );
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

/**
 * Asks the registry about every dependency.
 * @param isOnline whether a registry that gives no report is a failure
 * @returns the exit code, and what to say
 */
export async function audit({ accepted, isOnline, environment }) {
  const report = await ask(environment);
  const faults = faultsOf(report, accepted, new Date().toISOString().slice(0, 10));
  if (faults === null) {
    const said = report?.message ?? report?.error?.summary;
    const why = said ? `the registry answers no audits (${said})` : 'the registry does not answer';
    return { code: isOnline ? 1 : 0, text: `Not audited: ${why}.` };
  }
  if (faults.length === 0) return { code: 0, text: 'No known vulnerability that is not accepted.' };
  const advice = 'Update them, or accept them in scripts/parts/accepted-advisories.mjs.';
  return { code: 1, text: [...faults, advice].join('\n') };
}

if (isMain(import.meta.url)) {
  refuseUnknownOptions(import.meta.url, ['--online']);
  const isOnline = process.argv.includes('--online');
  const { code, text } = await audit({ accepted: ACCEPTED, isOnline, environment: env });
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}
