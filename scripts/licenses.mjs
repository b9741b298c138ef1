// npm run licenses: fails if a dependency has a licence that is not on the list of scripts/parts/allowed-licenses.mjs.
// `npm run licenses -- --list` prints the dependencies by licence. What each image contains is in its SBOM.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import satisfies from 'spdx-satisfies';
import { PERMISSIVE, STATED, TOOLS } from './parts/allowed-licenses.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';
import { isMain, ROOT } from './parts/lib.mjs';

/** Every package of the lock file with its licence, by name. */
export function lockedPackages(lock) {
  return Object.entries(lock.packages).flatMap(([path, { link, version, license }]) => {
    const name = path.split('node_modules/').at(-1);
    return link || !path.includes('node_modules/') ? [] : [{ name, version, license }];
  });
}

/** @returns what is wrong with the licence of a package; null if it is allowed. */
export function licenseFault({ name, version, license }) {
  const [tool] = TOOLS[name] ?? [];
  if (tool !== undefined && tool === license) return null;
  const [as, stated] = STATED[name] ?? [];
  const expression = stated !== undefined && as === license ? stated : license;
  if (isPermissive(expression)) return null;
  return `${name} ${version}: ${license ?? 'no licence'}`;
}

/** @param expression of SPDX. */
export function isPermissive(expression) {
  try {
    return satisfies(expression, PERMISSIVE);
  } catch {
    return false; // not in the form of SPDX
  }
}

function list(packages) {
  const byLicense = new Map();
  for (const each of packages) {
    const license = each.license ?? 'none';
    byLicense.set(license, [...(byLicense.get(license) ?? []), each]);
  }
  const lines = [...byLicense].sort(([a], [b]) => (a < b ? -1 : 1));
  return lines.map(([license, each]) => {
    const names = [...new Set(each.map(({ name, version }) => `${name} ${version}`))].sort();
    return `${license} (${names.length})\n  ${names.join(', ')}\n`;
  });
}

if (isMain(import.meta.url)) {
  refuseUnknownOptions(import.meta.url, ['--list']);
  const packages = lockedPackages(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const faults = packages.map(licenseFault).filter((fault) => fault !== null);
  if (process.argv.includes('--list')) process.stdout.write(list(packages).join('\n'));
  if (faults.length > 0) {
    const what = faults.map((fault) => `  ${fault}\n`).join('');
    process.stderr.write(
      `Licences that are not on the list:\n${what}Add them to scripts/parts/allowed-licenses.mjs with a reason, or do without.\n`,
    );
    process.exitCode = 1;
  } else process.stdout.write(`The licences of ${packages.length} packages are on the list.\n`);
}
