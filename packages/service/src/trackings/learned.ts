import { type Finds, isSureByForm, prefixOf } from '@pts/carriers/detection/choose-carrier';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Db } from '@pts/db/connection';
import { findLearned } from '@pts/db/learned-prefixes';
import { within } from '@pts/db/pool';

/** The carriers that knew similar numbers before, in memory. */
export type LearnedPrefixes = {
  /**
   * Loads missing finds for numbers whose form does not decide. Never fails: without the database, nothing is known
   * about them.
   */
  load(numbers: readonly string[]): Promise<void>;
  /** The finds in memory for a normalised number. */
  findsFor(number: string): Finds;
};

type Options = {
  db: Db;
  now(): Date;
  /** After this, finds are read again, while those in memory are still used. */
  refreshMs?: number;
  /** Prefixes kept in memory; the least recently used is dropped first. */
  max?: number;
};

const REFRESH_MS = 5 * 60_000;
const MAX_PREFIXES = 20_000;
const NONE: Finds = {};

/** A bounded cache: one query for each new prefix, and one in the background when it is old. */
export function createLearnedPrefixes({
  db,
  now,
  refreshMs = REFRESH_MS,
  max = MAX_PREFIXES,
}: Options): LearnedPrefixes {
  const known = new Map<string, { finds: Finds; readAt: number }>();
  const reading = new Set<string>();

  const read = async (prefixes: readonly string[]) => {
    for (const prefix of prefixes) reading.add(prefix);
    try {
      const found = await findLearned(db, prefixes, now());
      const readAt = now().getTime();
      for (const prefix of prefixes) keep(prefix, { finds: found.get(prefix) ?? NONE, readAt });
    } catch {
      // The database reports its faults elsewhere; a registration that needs it fails on its own.
    } finally {
      for (const prefix of prefixes) reading.delete(prefix);
    }
  };
  const keep = (prefix: string, entry: { finds: Finds; readAt: number }) => {
    known.delete(prefix);
    known.set(prefix, entry);
    const [oldest] = known.keys();
    if (known.size > max && oldest !== undefined) known.delete(oldest);
  };

  return {
    load: async (numbers) => {
      const prefixes = [...new Set(numbers.flatMap(prefixToLearn))];
      const oldBefore = now().getTime() - refreshMs;
      const missing = prefixes.filter((prefix) => !known.has(prefix));
      const old = prefixes.filter((prefix) => {
        const entry = known.get(prefix);
        return entry && entry.readAt <= oldBefore && !reading.has(prefix);
      });
      // In the background: it is not part of the call.
      if (old.length > 0) void read(old);
      // They are waited for briefly, so that a registration fails within a second if the database hangs; what is read
      // later serves the next one.
      if (missing.length > 0) await within(db.$statementMs / 4, read(missing), () => {});
    },
    findsFor: (number) => {
      const prefix = prefixOf(number);
      const entry = known.get(prefix);
      if (entry) keep(prefix, entry);
      return entry?.finds ?? NONE;
    },
  };
}

/** The prefix of a number whose form does not decide. */
function prefixToLearn(text: string): string[] {
  const number = normaliseNumber(text);
  return number === null || isSureByForm(number) ? [] : [prefixOf(number)];
}
