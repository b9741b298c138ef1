import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../parts/figure.ts';
import { tablesOf } from './tables.ts';
import { readUnits } from './units.ts';

/** The bundle of the benchmarks is as deep below the root as this file. */
const BENCHMARKS = resolve(fileURLToPath(import.meta.url), '../../../../docs/benchmarks.md');

/** Measures nothing: prints what the figures of docs/benchmarks.md mean for millions of parcels, as docs/scaling.md has it. */
export async function benchScale(): Promise<Figure[]> {
  const { needs, limits } = tablesOf(readUnits(readFileSync(BENCHMARKS, 'utf8')));
  console.log(`${needs}\n\n${limits}`);
  return [];
}
