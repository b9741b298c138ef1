import { spawnSync } from 'node:child_process';
import { type AptPackage, cachedWithApt, installWithApt } from '@pts/testing/servers/programs';

/** A zsh; `setUp` is what its start-up file begins with; `lacks` says why there is none. */
type Zsh = { command: string; env: Record<string, string>; setUp: string; lacks?: string };

const PACKAGE: AptPackage = { name: 'zsh', server: /^zsh$/, cache: 'zsh' };

/** The system's zsh, or one that is downloaded for the tests alone; a machine without apt-get has none. */
export async function findZsh(): Promise<Zsh> {
  if (spawnSync('zsh', ['--version']).status === 0) return { command: 'zsh', env: {}, setUp: '' };
  try {
    const { server, env, home = '' } = cachedWithApt(PACKAGE) ?? (await installWithApt(PACKAGE));
    // It looks for its modules and functions where the package would have been installed.
    const setUp = `module_path=(${home}/usr/lib/*/zsh/*(/)); fpath=(${home}/usr/share/zsh/functions/**/*(/))`;
    return { command: server, env: { LD_LIBRARY_PATH: env.LD_LIBRARY_PATH ?? '' }, setUp };
  } catch {
    return { command: '', env: {}, setUp: '', lacks: 'zsh is not installed, and apt-get has none' };
  }
}
