import type { Course, Scan } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';

/** The meaning of a code or a text. */
export type Meaning = { status: ScanStatus; course?: Course };

export const REFUSED: Meaning = { status: 'exception', course: 'refused' };
/** On its way back to the sender; `returned` when it is there. */
export const GOING_BACK: Meaning = { status: 'exception', course: 'going_back' };

/**
 * A scan as a provider's parser reads it: everything but the status, and what code and text mean. `silent`: they do not
 * say. `informational`: news about papers, which changes nothing.
 */
export type ReadScan = {
  scan: Omit<Scan, 'status' | 'ownStatus' | 'course'>;
  meaning: Meaning | 'silent' | 'informational';
};

/** A table of codes: the lookup ignores case and returns undefined for an unknown code. */
export function codeTable(rows: Readonly<Record<string, ScanStatus | Meaning>>): (code: string) => Meaning | undefined {
  const meanings = new Map(Object.entries(rows).map(([code, value]) => [code.toUpperCase(), meaningOf(value)]));
  return (code) => meanings.get(code.trim().toUpperCase());
}

/**
 * Rules for texts: a pattern, or several that must all match, and perhaps one that must not. The first rule that
 * matches decides.
 */
export type TextRules = readonly (readonly [RegExp | readonly RegExp[], ScanStatus | Meaning, unless?: RegExp])[];

/** The meaning of a text; undefined if no rule matches. */
export function meaningByRules(text: string, rules: TextRules): Meaning | undefined {
  const found = rules.find(
    ([patterns, , unless]) => [patterns].flat().every((pattern) => pattern.test(text)) && !unless?.test(text),
  );
  return found && meaningOf(found[1]);
}

function meaningOf(value: ScanStatus | Meaning): Meaning {
  return typeof value === 'string' ? { status: value } : value;
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
export function classified(scan: ReadScan['scan'], { status, course }: Meaning): Scan {
  return { ...scan, status, ...(course === undefined ? {} : { course }) };
}
