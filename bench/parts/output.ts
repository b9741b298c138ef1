import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figure.ts';
import { barChart } from './plot.ts';

const FOLDER = resolve(fileURLToPath(import.meta.url), '../../../../docs/benchmarks');

/** One figure as a line. */
export function readable({ name, ours, bare, ratio, unit, store = '' }: Figure): string {
  // A figure without a limit to compare with has no ratio.
  const compared = Number.isFinite(ratio) ? `, bare ${bare}, ratio ${ratio}` : '';
  return `${`${name} ${store}`.padEnd(18)} ${ours} ${unit}${compared}`;
}

/** Writes `docs/benchmarks/<bench>.svg`, the ratios of its figures, and their plots. */
export function writePlots(bench: string, figures: readonly Figure[]): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, svg] of Object.entries(plotsOf(bench, figures))) writeFileSync(join(FOLDER, `${name}.svg`), svg);
}

/** SVGs by their names. */
export function plotsOf(bench: string, figures: readonly Figure[]): Record<string, string> {
  const bars = figures
    .filter(({ ratio }) => Number.isFinite(ratio))
    .map(({ name, store, ours, bare, ratio, unit }) => ({
      label: store === undefined ? name : `${name}, ${store}`,
      value: ratio,
      limit: 1,
      text: `${ours} : ${bare} ${unit}`,
    }));
  return {
    ...(bars.length > 0 && { [bench]: barChart(bench, bars, 'ours ÷ bare limit or goal') }),
    ...Object.assign({}, ...figures.map(({ plots }) => plots ?? {})),
  };
}
