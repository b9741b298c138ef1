import { type AptPackage, type AptServer, cachedWithApt, installWithApt } from './apt.ts';
import { onPath } from './redis-program.ts';

type Wanted = {
  /** As it is called on the PATH. */
  program: string;
  from: AptPackage;
  /** The oldest version that will do. */
  since: string;
};

/** A program on the PATH, or through the system's package manager, after saying so. @throws when none can be installed */
export async function findProgram({ program, from, since }: Wanted, log: (line: string) => void): Promise<AptServer> {
  const installed = onPath(program);
  if (installed) return { server: installed, env: {} };
  const cached = cachedWithApt(from);
  if (cached) return cached;
  const missing = `This test needs ${program} and found none. Either will do:
  - install ${from.name} (any version from ${since} on) so that ${program} is on the PATH;
  - let apt-get download it: it is unpacked into .cache, nothing is installed.`;
  if (!onPath('apt-get') || !onPath('dpkg-deb')) throw new Error(missing);
  log(
    `there is no ${program} on the PATH: downloading one with apt-get, for these tests only (the system is not changed)`,
  );
  try {
    return await installWithApt(from);
  } catch (error) {
    throw new Error(`${missing}\napt-get: ${error instanceof Error ? error.message.trim() : error}`);
  }
}
