import { isSureByForm } from '@pts/carriers/detection/choose-carrier';
import { type Finds, lengthOf, type NumberEvidence, prefixOf } from '@pts/carriers/detection/evidence';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Db } from '@pts/db/connection';
import { findLearned, type LearnedKey, nameOfKey } from '@pts/db/learned-prefixes';
import { within } from '@pts/db/pool';

/** The carriers that knew similar numbers before, of all accounts and of one, in memory. */
export type LearnedPrefixes = {
  /**
   * Loads missing finds for numbers whose form does not decide. Never fails: without the database, nothing is known
   * about them.
   */
  load(accountId: string, numbers: readonly string[]): Promise<void>;
  /** The finds in memory for a normalised number of an account. */
  findsFor(accountId: string, number: string): Pick<NumberEvidence, 'finds' | 'accountFinds'>;
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

  const read = async (keys: readonly Named[]) => {
    for (const { name } of keys) reading.add(name);
    try {
      const found = await findLearned(db, keys, now());
      const readAt = now().getTime();
      for (const { name } of keys) keep(name, { finds: found.get(name) ?? NONE, readAt });
    } catch {
      // The database reports its faults elsewhere; a registration that needs it fails on its own.
    } finally {
      for (const { name } of keys) reading.delete(name);
    }
  };
  const keep = (name: string, entry: { finds: Finds; readAt: number }) => {
    known.delete(name);
    known.set(name, entry);
    const [oldest] = known.keys();
    if (known.size > max && oldest !== undefined) known.delete(oldest);
  };

  return {
    load: async (accountId, numbers) => {
      const keys = [...new Map(numbers.flatMap((text) => keysToLearn(accountId, text))).values()];
      const oldBefore = now().getTime() - refreshMs;
      const missing = keys.filter(({ name }) => !known.has(name));
      const old = keys.filter(({ name }) => {
        const entry = known.get(name);
        return entry && entry.readAt <= oldBefore && !reading.has(name);
      });
      // In the background: it is not part of the call.
      if (old.length > 0) void read(old);
      // They are waited for briefly, so that a registration fails within a second if the database hangs; what is read
      // later serves the next one.
      if (missing.length > 0) await within(db.$statementMs / 4, read(missing), () => {});
    },
    findsFor: (accountId, number) => {
      const [finds = NONE, accountFinds = NONE] = keysOf(accountId, number).map(({ name }) => {
        const entry = known.get(name);
        if (entry) keep(name, entry);
        return entry?.finds;
      });
      return { finds, accountFinds };
    },
  };
}

type Named = LearnedKey & { name: string };

/** The keys of a number whose form does not decide, by their names. */
function keysToLearn(accountId: string, text: string): [string, Named][] {
  const number = normaliseNumber(text);
  return number === null || isSureByForm(number) ? [] : keysOf(accountId, number).map((key) => [key.name, key]);
}

/** The keys of all accounts, and those of one. */
function keysOf(accountId: string, number: string): [Named, Named] {
  const [shared, own] = [{ prefix: prefixOf(number) }, { accountId, prefix: lengthOf(number) }];
  return [
    { ...shared, name: nameOfKey(shared) },
    { ...own, name: nameOfKey(own) },
  ];
}
