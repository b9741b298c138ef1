import { type Course, DELAYS, type ParcelProblem, PROBLEMS, type Proof, type Scan } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';
import type { Place } from '../time/place.ts';

/**
 * The meaning of a code or a text. `problem`: the kind of trouble, if it is known; a course is a kind of its own, so a
 * meaning with one needs no problem.
 */
export type Meaning = { status: ScanStatus; course?: Course; problem?: ParcelProblem };

export const REFUSED: Meaning = { status: 'exception', course: 'refused' };
/** On its way back to the sender; `returned` when it is there. */
export const GOING_BACK: Meaning = { status: 'exception', course: 'going_back' };

/** A meaning with the kind of its trouble. A parcel that is only late is on its way. */
export function withProblem(meaning: Meaning, problem: ParcelProblem): Meaning {
  const isLate = DELAYS.includes(problem) && meaning.status === 'exception';
  return { ...meaning, ...(isLate && { status: 'in_transit' }), problem };
}

/** It cannot be delivered, and why. */
export function undeliverable(problem: ParcelProblem): Meaning {
  return { status: 'undeliverable', problem };
}

/** The name of a meaning in tables of codes and texts: a kind of trouble, or a status. */
export type MeaningName = ScanStatus | ParcelProblem;

const NAMED_TROUBLE: Readonly<Partial<Record<MeaningName, Meaning>>> = {
  ...Object.fromEntries(PROBLEMS.map((problem) => [problem, withProblem({ status: 'exception' }, problem)])),
  refused: REFUSED,
  returning: GOING_BACK,
};

/** The meaning with a name; `exception` is trouble of an unknown kind. */
export function meaningNamed(name: MeaningName): Meaning {
  return isProblem(name) ? (NAMED_TROUBLE[name] ?? { status: 'exception' }) : { status: name };
}

function isProblem(name: MeaningName): name is ParcelProblem {
  return Object.hasOwn(NAMED_TROUBLE, name);
}

/**
 * A scan as a provider's parser reads it: time and texts, and what code and text mean. `silent`: they do not say.
 * `pending`: neither, but by its code the carrier awaits the parcel. `informational`: news about papers, which changes
 * nothing. Beside them stand the carrier's code, the place in parts and the proof of a delivery, where the carrier
 * states them.
 */
export type ReadScan = {
  scan: Pick<Scan, 'time' | 'timeRaw' | 'zoneSource' | 'location' | 'description'>;
  meaning: Meaning | 'silent' | 'pending' | 'informational';
  code?: string;
  place?: Place;
  proof?: Proof | undefined;
};

/** An item of a history: null if its time cannot be read, `untimed` if it has none. */
export type ListedScan = ReadScan | 'untimed' | null;

/** A table of codes: the lookup ignores case and returns undefined for an unknown code. */
export function codeTable(
  rows: Readonly<Record<string, MeaningName | Meaning>>,
): (code: string) => Meaning | undefined {
  const meanings = new Map(Object.entries(rows).map(([code, value]) => [code.toUpperCase(), meaningOf(value)]));
  return (code) => meanings.get(code.trim().toUpperCase());
}

/**
 * An entry of a language's table: the meaning of a text, the pattern that recognises it, or several that must all
 * match, a sentence for it, and perhaps a pattern that must not match. The first entry of a table that matches decides.
 */
export type Entry = readonly [
  MeaningName | Meaning,
  RegExp | readonly RegExp[],
  example: string,
  unless?: RegExp | undefined,
];

/** The entry of a table that a text matches first. */
export function entryOf(text: string, table: readonly Entry[]): Entry | undefined {
  return table.find(([, pattern, , unless]) => {
    const matches = pattern instanceof RegExp ? pattern.test(text) : pattern.every((each) => each.test(text));
    return matches && !unless?.test(text);
  });
}

/** A pattern of a list, and a sentence that it finds. */
export type Phrase = readonly [RegExp, example: string];

/** Whether a text matches one of these patterns. */
export function says(text: string, phrases: readonly Phrase[]): boolean {
  return phrases.some(([pattern]) => pattern.test(text));
}

/** The meaning of a text by a table; undefined if no entry matches. */
export function meaningByTable(text: string, table: readonly Entry[]): Meaning | undefined {
  return meaningOfEntry(entryOf(text, table));
}

export function meaningOfEntry(entry: Entry | undefined): Meaning | undefined {
  return entry && meaningOf(entry[0]);
}

function meaningOf(value: MeaningName | Meaning): Meaning {
  return typeof value === 'string' ? meaningNamed(value) : value;
}

/** A code in words, for the scans of an API without texts: `ready_to_pickup` is "Ready to pickup". */
export function wordsOf(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** A scan with its meaning. */
export function classified(scan: ReadScan['scan'], { status, course, problem }: Meaning): Scan {
  return {
    ...scan,
    status,
    ...(course === undefined ? {} : { course }),
    ...(problem === undefined ? {} : { problem }),
  };
}
