import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../http.ts';
import type { Question } from '../provider.ts';
import { parseQuery } from './kuaidi100/parse.ts';
import { parseTrack } from './sandbox/parse.ts';

type Asked = Pick<Question, 'number' | 'carrier'>;

/** How each provider's answer about one number is read. */
const READERS: Readonly<Record<string, (outcome: HttpOutcome, asked: Asked) => CarrierAnswer | undefined>> = {
  kuaidi100: parseQuery,
  sandbox: (outcome, { number }) => parseTrack(outcome, [number])[0],
};

/** The providers whose raw answers can be read. */
export const READABLE_PROVIDERS = Object.keys(READERS);

/**
 * Reads a provider's raw answer, as it came over HTTP with status 200, about one number.
 * @returns null when there is no such provider.
 */
export function readAnswer(provider: string, text: string, asked: Asked): CarrierAnswer | null {
  const read = Object.hasOwn(READERS, provider) ? READERS[provider] : undefined;
  return read?.({ kind: 'response', status: 200, headers: {}, text }, asked) ?? null;
}
