import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App } from '@pts/testing/app-process';
import { execForm, last, lineage, parseDockerfile } from '../deployment/dockerfile.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const APPS: readonly App[] = ['sandbox-carrier', 'api', 'carrier-poller', 'webhook-dispatcher'];
/** What the API serves. */
const FILES = ['console', 'portal'] as const;

export type Image = {
  /** The folder with the bundles. Nobody may write to it. */
  root: string;
  node: string;
  /** The options of Node in the entry point. */
  flags: readonly string[];
  /** Whom processes run as; only root can start them as somebody else. */
  user: { uid?: number; gid?: number };
  remove(): void;
};

/**
 * What the images of the services contain, in one folder, with a program of Node; and how they start their processes.
 */
export function makeImage(node: string): Image {
  const parent = mkdtempSync(join(tmpdir(), 'pts-image-'));
  chmodSync(parent, 0o755);
  const root = join(parent, 'app');
  for (const app of [...APPS, ...FILES]) {
    mkdirSync(join(root, 'apps', app), { recursive: true });
    cpSync(join(ROOT, 'apps', app, 'dist'), join(root, 'apps', app, 'dist'), { recursive: true });
  }
  // The folders above the original may be closed to the user of the image.
  cpSync(node, join(parent, 'node'));
  execFileSync('chmod', ['-R', 'a=rX', root]);
  const instructions = lineage(parseDockerfile('docker/Dockerfile'), 'runtime');
  const [, ...flags] = execForm(last(instructions, 'ENTRYPOINT')) ?? [];
  const [uid = Number.NaN, gid = Number.NaN] = (last(instructions, 'USER') ?? '').split(':').map(Number);
  return {
    root,
    node: join(parent, 'node'),
    flags,
    user: process.getuid?.() === 0 ? { uid, gid } : {},
    remove: () => {
      execFileSync('chmod', ['-R', 'u+w', root]);
      rmSync(parent, { recursive: true });
    },
  };
}
