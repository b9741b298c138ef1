import Sequencer from '@jest/test-sequencer';

/**
 * About how long a file runs, in milliseconds per byte of it. Local files: those that take long for their size, as
 * others are soon done.
 */
const MS_PER_BYTE = { release: 15, e2e: 15, int: 1.5, local: 4, unit: 0.05 };
/** The stories of an end-to-end file are in others: each takes longer than any other test, whatever its size. */
const MIN_MS = { e2e: 100_000 };

/**
 * The longest files first, like jest's default, so that no worker is idle while another runs a long one at the end.
 * Where no earlier run says how long a file takes, as in a fresh clone, its tier and its size decide.
 */
export default class LongestFirst extends Sequencer {
  time(test) {
    const { config, hasteFS } = test.context;
    const tier = config.displayName?.name;
    const byItsSize = (MIN_MS[tier] ?? 0) + (hasteFS.getSize(test.path) ?? 0) * (MS_PER_BYTE[tier] ?? 1);
    return super.time(test) ?? byItsSize;
  }
}
