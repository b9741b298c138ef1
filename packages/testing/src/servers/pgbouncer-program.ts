import { type AptPackage, type AptServer, cachedWithApt, installWithApt } from './apt.ts';
import { onPath } from './redis-program.ts';

const PACKAGE: AptPackage = { name: 'pgbouncer', server: 'usr/sbin/pgbouncer', cache: 'pgbouncer' };
const NO_PGBOUNCER = `This test needs PgBouncer and found none. Either will do:
  - install pgbouncer (any version from 1.16 on) so that it is on the PATH;
  - let apt-get download it: it is unpacked into .cache, nothing is installed.`;

/** On the PATH, or through the system's package manager, after saying so. @throws when none can be installed */
export async function findPgBouncer(log: (line: string) => void): Promise<AptServer> {
  const installed = onPath('pgbouncer');
  if (installed) return { server: installed, env: {} };
  const cached = cachedWithApt(PACKAGE);
  if (cached) return cached;
  if (!onPath('apt-get') || !onPath('dpkg-deb')) throw new Error(NO_PGBOUNCER);
  log(
    'there is no pgbouncer on the PATH: downloading one with apt-get, for these tests only (the system is not changed)',
  );
  try {
    return await installWithApt(PACKAGE);
  } catch (error) {
    throw new Error(`${NO_PGBOUNCER}\napt-get: ${error instanceof Error ? error.message.trim() : error}`);
  }
}
