import type { FaultFigures } from './disturb.ts';
import type { ChaosResult } from './run.ts';

const MAX_LISTED = 50;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const seconds = (value: number) => `${value.toFixed(1)} s`;

/** One line of progress. */
export function faultLine(figures: FaultFigures): string {
  const { at, name, about, availability, failures, longestPollPause, longestPushPause, recoverySeconds } = figures;
  return [
    `+${String(at).padStart(4)} s ${name}${about ? ` (${about})` : ''}: ${seconds(figures.seconds)}`,
    `API ${percent(availability)}${reasons(failures)}`,
    `longest pause of polls ${seconds(longestPollPause)}, of pushes ${seconds(longestPushPause)}`,
    recoverySeconds === null ? 'NOT RECOVERED' : `recovered after ${seconds(recoverySeconds)}`,
  ].join(', ');
}

function reasons(failures: Readonly<Record<string, number>>): string {
  const all = Object.entries(failures).map(([reason, count]) => `${count} x ${reason}`);
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

/** A row per fault: how often it occurred, and the worst value of each figure. */
function table(faults: readonly FaultFigures[]): string {
  const names = [...new Set(faults.map(({ name }) => name))].sort();
  const rows = names.map((name) => {
    const all = faults.filter((fault) => fault.name === name);
    const worst = (of: (fault: FaultFigures) => number) => Math.max(...all.map(of)).toFixed(1);
    return [
      name,
      all.length,
      percent(Math.min(...all.map(({ availability }) => availability))),
      worst(({ longestPollPause }) => longestPollPause),
      worst(({ longestPushPause }) => longestPushPause),
      worst(({ recoverySeconds }) => recoverySeconds ?? Number.POSITIVE_INFINITY),
    ];
  });
  const head = ['Fault', 'Times', 'API, least', 'Pause of polls, s', 'Pause of pushes, s', 'Recovery, s'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The longest pause of pushes, except in faults of PostgreSQL, without which nothing can be pushed. */
function worstPushPause(faults: readonly FaultFigures[]): FaultFigures | undefined {
  return faults
    .filter(({ part }) => part !== 'postgres')
    .toSorted((a, b) => b.longestPushPause - a.longestPushPause)[0];
}

export function summary({ store, seed, faults, overall, totals, lost, discrepancies }: ChaosResult): string {
  const worst = worstPushPause(faults);
  const listed = discrepancies.slice(0, MAX_LISTED).map(({ promise, about }) => `  ${promise}: ${about}`);
  const more = discrepancies.length - listed.length;
  return [
    table(faults),
    `${store}, seed ${seed}: ${Object.entries(totals)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
    `API ${percent(overall.availability)} of ${overall.requests} requests${reasons(overall.failures)}`,
    ...(worst
      ? [`longest pause of pushes except in PostgreSQL's faults: ${seconds(worst.longestPushPause)} (${worst.name})`]
      : []),
    ...(lost.length > 0 ? [`accepted, and lost by a failover: ${lost.join(', ')}`] : []),
    discrepancies.length === 0 ? 'the ledger balances' : `the ledger does NOT balance, ${discrepancies.length} times:`,
    ...listed,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}
