/** What is sent back: an HTTP status, nothing at all, or the connection is cut. */
export type ReceiverAnswer = number | 'hang' | 'reset';

/** How the receiver plays broken. */
export type Faults = {
  /** In place of the right answer; null for the right one. */
  answer: ReceiverAnswer | null;
  /** How long it takes before it answers. */
  delaySeconds: number;
  /** Only the first so many attempts of each message; null for all. */
  first: number | null;
};

/** The answer to an attempt, of which this is the n-th of its message to come, 1 = first. */
export function answerTo(right: number, nth: number, faults: Faults): { answer: ReceiverAnswer; delaySeconds: number } {
  if (faults.first !== null && nth > faults.first) return { answer: right, delaySeconds: 0 };
  return { answer: faults.answer ?? right, delaySeconds: faults.delaySeconds };
}

/** How it is broken, in words; null when it is not. */
export function describeFaults({ answer, delaySeconds, first }: Faults): string | null {
  const words = [
    answer === 'hang' ? 'never answers' : answer === 'reset' ? 'resets the connection' : answer && `answers ${answer}`,
    delaySeconds > 0 && `waits ${delaySeconds} s before each answer`,
  ].filter((word) => typeof word === 'string');
  if (words.length === 0) return null;
  const scope = first === null ? '' : ` to the first ${first === 1 ? 'attempt' : `${first} attempts`} of each message`;
  return `simulates a fault: ${words.join(' and ')}${scope}`;
}
