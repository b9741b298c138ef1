import { limitsOf, type Needs, needsOf } from './capacity.ts';
import type { Units } from './units.ts';

const SIZES = [1e6, 3e6, 10e6, 100e6];

/** The rows of the table of needs: what they are called, and how they are shown. */
const ROWS: readonly (readonly [string, (needs: Needs) => string])[] = [
  ['checks per second', ({ checksPerSecond: n }) => round(n)],
  ['calls per second, 40 numbers each', ({ batchedCallsPerSecond: n }) => round(n)],
  ['registrations per second', ({ registrationsPerSecond: n }) => round(n)],
  ['events per second', ({ eventsPerSecond: n }) => round(n)],
  ['cores, all processes and servers', ({ cores: n }) => round(n)],
  ['cores of PostgreSQL', ({ postgresCores: n }) => round(n)],
  ["cores of Redis's command thread", ({ redisCores: n }) => round(n)],
  ['pollers', ({ pollers: n }) => round(n)],
  ['WAL', ({ walBytesPerSecond: n }) => `${round(n / 1e6)} MB/s`],
  ['parcels on disk', ({ parcelBytes: n }) => bytes(n)],
  ['30 days of history on disk', ({ historyBytes: n }) => bytes(n)],
  ['restoring that at 500 MB/s', ({ restoreHours: n }) => (n < 1 ? `${round(n * 60)} min` : `${round(n)} h`)],
];

/** Both tables of docs/scaling.md, as Markdown. */
export function tablesOf(units: Units): { needs: string; limits: string } {
  const needs = SIZES.map((parcels) => needsOf(parcels, units));
  return {
    needs: table(
      ['Parcels', ...SIZES.map(millions)],
      ROWS.map(([name, show]) => [name, ...needs.map(show)]),
    ),
    limits: table(
      ['One of each', 'Carries parcels'],
      limitsOf(units).map(({ what, parcels }) => [what, parcels < 1e5 ? round(parcels) : millions(parcels)]),
    ),
  };
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...body]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replaceAll(/ --- /g, '---');
}

const millions = (parcels: number) => `${round(parcels / 1e6)}M`;
const bytes = (count: number) => (count < 1e12 ? `${round(count / 1e9)} GB` : `${round(count / 1e12)} TB`);

/** Two digits that say something, and thousands apart. */
function round(value: number): string {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(value)));
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  const rounded = digits > 0 ? Number(value.toFixed(digits)) : Math.round(value / unit) * unit;
  return rounded.toLocaleString('en-US', { maximumFractionDigits: digits });
}
