/** The response: an HTTP status, none, or a reset connection. */
export type ReceiverAnswer = number | 'hang' | 'reset';

/** The faults that the receiver simulates. */
export type Faults = {
  /** Instead of the right response; null for the right one. */
  answer: ReceiverAnswer | null;
  /** The delay before each response. */
  delaySeconds: number;
  /** Only for this many first attempts of each message; null for all. */
  first: number | null;
};

/** The response to the n-th attempt of a message, from 1. */
export function answerTo(right: number, nth: number, faults: Faults): { answer: ReceiverAnswer; delaySeconds: number } {
  if (faults.first !== null && nth > faults.first) return { answer: right, delaySeconds: 0 };
  return { answer: faults.answer ?? right, delaySeconds: faults.delaySeconds };
}

/** A description of the fault; null if there is none. */
export function describeFaults({ answer, delaySeconds, first }: Faults): string | null {
  const words = [
    answer === 'hang' ? 'never answers' : answer === 'reset' ? 'resets the connection' : answer && `answers ${answer}`,
    delaySeconds > 0 && `waits ${delaySeconds} s before each answer`,
  ].filter((word) => typeof word === 'string');
  if (words.length === 0) return null;
  const scope = first === null ? '' : ` to the first ${first === 1 ? 'attempt' : `${first} attempts`} of each message`;
  return `simulates a fault: ${words.join(' and ')}${scope}`;
}
