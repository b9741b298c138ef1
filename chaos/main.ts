import { randomInt } from 'node:crypto';
import { explainOptions, OptionFault } from '../bench/options.ts';
import { type CommandLine, readCommandLine } from './options.ts';
import { faultLine, runChaos, summary } from './run.ts';

/**
 * Runs chaos on each store in turn. If --json is set, progress goes to stderr and one line per store to stdout.
 * @returns whether every store balances.
 */
async function main({ stores, json, ...options }: CommandLine): Promise<boolean> {
  const print = json ? console.error : console.log;
  let isBalanced = true;
  for (const store of stores) {
    const result = await runChaos({ ...options, store }, print, (figures) => print(faultLine(figures)));
    print(summary(result));
    if (json) console.log(JSON.stringify(result));
    isBalanced &&= result.discrepancies.length === 0;
  }
  return isBalanced;
}

// Ctrl-C: all child processes end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  const commandLine = readCommandLine(process.argv.slice(2), () => randomInt(1, 1_000_000));
  process.exit((await main(commandLine)) ? 0 : 1);
} catch (error) {
  if (error instanceof OptionFault) process.exit(explainOptions(error));
  console.error(error instanceof Error ? error.stack : error);
  process.exit(1);
}
