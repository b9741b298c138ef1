/**
 * The result of a readiness check of a process. `unreachable`: a requirement does not answer, to whomever; `unfit`: it
 * answers, but does not meet the needs of the process. `starting` and `stopping` are states of the process itself.
 */
export type Check =
  | { state: 'ok' | 'starting' | 'stopping' }
  /** The requirement that does not answer, and the symptom. */
  | { state: 'unreachable'; what: string; reason: string }
  /** The reason says what is missing and how to fix it. */
  | { state: 'unfit'; reason: string };

/** By name. A process can work when all are `ok`. */
export type Checks = Readonly<Record<string, Check>>;

/** A check in words for operators: `ok`, the reason of its failure, or the state of the process. */
export function textOf(check: Check): string {
  switch (check.state) {
    case 'ok':
    case 'starting':
    case 'stopping':
      return check.state;
    case 'unreachable':
      return `waiting for ${check.what} (${check.reason})`;
    case 'unfit':
      return check.reason;
  }
}

/** The words for each check, as `/readyz` shows them. */
export function textsOf(checks: Checks): Record<string, string> {
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, textOf(check)]));
}

/** The first check that is not `ok`, with its name; null when all are. */
export function firstFault(checks: Checks): { name: string; check: Check } | null {
  const [found] = Object.entries(checks).filter(([, { state }]) => state !== 'ok');
  return found ? { name: found[0], check: found[1] } : null;
}

/** The line that says what a process waits for, independent of the text of the reason. */
export function waitingFor(check: Check): string {
  return check.state === 'unreachable' ? textOf(check) : `waiting: ${textOf(check)}`;
}
