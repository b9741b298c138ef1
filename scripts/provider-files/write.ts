import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { PARTS, withPart } from './render.ts';

/** Writes the outdated parts. @returns the files that were changed. */
export function writeParts(root: string): string[] {
  return PARTS.flatMap((part) => {
    const file = join(root, part.path);
    const text = readFileSync(file, 'utf8');
    const wanted = withPart(text, part, PROVIDERS);
    if (wanted === text) return [];
    writeFileSync(file, wanted);
    return [part.path];
  });
}
