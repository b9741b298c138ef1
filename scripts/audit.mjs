// npm run audit: fails on known vulnerabilities of dependencies, except those that scripts/parts/accepted-advisories.mjs
// accepts with a reason. Without a registry that answers, it says so and passes; `--online` makes that a failure.
import { spawnSync } from 'node:child_process';
import { env } from 'node:process';
import { ACCEPTED } from './parts/accepted-advisories.mjs';
import { isMain, ROOT } from './parts/lib.mjs';

/**
 * @param report of `npm audit --json`
 * @returns null if it is none, because the registry did not answer; otherwise a line for each advisory that is not accepted
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

function audit() {
  // The same on every system: npm is a script beside node there, or on the PATH.
  const npm = env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  // Where the network drops packets, npm would wait for a quarter of an hour.
  const patience = ['--fetch-retries=0', '--fetch-timeout=30000'];
  const { stdout } = spawnSync(command, [...args, 'audit', '--json', ...patience], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

if (isMain(import.meta.url)) {
  const faults = faultsOf(audit(), ACCEPTED, new Date().toISOString().slice(0, 10));
  if (faults === null) {
    process.stderr.write('Not audited: the registry does not answer, or answers no audits.\n');
    process.exitCode = process.argv.includes('--online') ? 1 : 0;
  } else if (faults.length > 0) {
    process.stderr.write(
      `${faults.join('\n')}\nUpdate them, or accept them in scripts/parts/accepted-advisories.mjs.\n`,
    );
    process.exitCode = 1;
  } else process.stdout.write('No known vulnerability that is not accepted.\n');
}
