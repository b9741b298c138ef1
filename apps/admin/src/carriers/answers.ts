import { READABLE_PROVIDERS, readAnswer } from '@pts/carriers/providers/read-answer';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { UsageError } from '../command-line/problem.ts';

export const ANSWER_OPTIONS = {
  provider: {
    value: 'PROVIDER',
    about: `the provider of the answer: ${READABLE_PROVIDERS.join(', ')}`,
    required: true,
  },
  number: { value: 'NUMBER', about: 'the tracking number (default: the one in the answer)' },
  now: { value: 'TIME', about: 'when the answer arrived, ISO 8601 (default: now)' },
} as const;

/** The errors of parsing an answer, as JSON. */
export type ReadError = { code: string; message: string };

/** Parses a raw answer. @throws UsageError for an unknown provider. */
export function read(
  provider: string,
  text: string,
  number: string | undefined,
): { number: string; answer: CarrierAnswer } {
  const requested = number ?? numberIn(text);
  // The answer itself names the company; without one, scans are in Chinese time.
  const answer = readAnswer(provider, text, { number: requested, carrier: '' });
  if (answer === null)
    throw new UsageError(`No such provider: "${provider}". Choose one of ${READABLE_PROVIDERS.join(', ')}.`);
  return { number: requested, answer };
}

/** The number that an answer names; '' if none. */
export function numberIn(text: string): string {
  try {
    return firstNumber(JSON.parse(text), MAX_LEVELS) ?? '';
  } catch {
    return '';
  }
}

const MAX_LEVELS = 6;
const NUMBER = /^(?:nu|number|tracking_?(?:number|code))$/i;

/** The first text under a name for numbers: those of an object itself before those deeper in it. */
function firstNumber(value: unknown, levels: number): string | undefined {
  if (typeof value !== 'object' || value === null || levels === 0) return undefined;
  const named = Object.entries(value).find(
    ([name, text]) => NUMBER.test(name) && typeof text === 'string' && text !== '',
  );
  if (named) return String(named[1]);
  for (const part of Object.values(value)) {
    const number = firstNumber(part, levels - 1);
    if (number !== undefined) return number;
  }
  return undefined;
}

export function errorOf(answer: CarrierAnswer): ReadError | null {
  return answer.kind === 'failed' ? { code: answer.failure, message: answer.message } : null;
}

/** A time from the command line. @throws UsageError */
export function readTime(option: string, text: string | undefined, fallback: Date): Date {
  if (text === undefined) return fallback;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--${option} must be a time such as 2026-11-21T08:00:00Z, not "${text}".`);
  return time;
}

/** A scan with all details of its time. */
export function viewScan({ time, location, description, status, timeRaw, zoneSource }: Scan) {
  return { time, location, description, status, raw_time: timeRaw, zone_source: zoneSource };
}
