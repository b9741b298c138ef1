/** What one check has found. */
export type Finding = {
  /** What was looked at. */
  check: string;
  /** `problem`: something does not work, or will not. `advice`: it works, at a risk. */
  state: 'ok' | 'advice' | 'problem';
  what: string;
  /** What to do about it. */
  fix?: string;
};

/** What it is about, how it is made, and the time it has if not the usual one. */
export type Look = readonly [check: string, look: () => Promise<readonly Finding[]>, ms?: number];

export const ok = (check: string, what: string): Finding => ({ check, state: 'ok', what });
export const problem = (check: string, what: string, fix: string): Finding => ({ check, state: 'problem', what, fix });
export const advice = (check: string, what: string, fix: string): Finding => ({ check, state: 'advice', what, fix });
