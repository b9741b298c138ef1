import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { PROVIDERS } from './index.ts';
import type { Requested } from './manifest.ts';

/** The providers whose raw answers can be read. */
export const READABLE_PROVIDERS: readonly string[] = PROVIDERS.map(({ name }) => name);

/**
 * Parses a provider's raw answer for one number, as received over HTTP with status 200.
 * @returns null if there is no such provider.
 */
export function readAnswer(provider: string, text: string, requested: Requested): CarrierAnswer | null {
  const manifest = PROVIDERS.find(({ name }) => name === provider);
  const [answer] = manifest?.parse({ kind: 'response', status: 200, headers: {}, text }, [requested]) ?? [];
  return answer ?? null;
}
