import { type PageAddressOf, pageAddress } from '@pts/core/page';
import type { PageTokens } from '@pts/runtime/encryption/tokens';

/** The addresses of buyers' pages below a base URL; without one, there are none. */
export function pageAddresses(tokens: PageTokens, baseUrl: string | undefined): PageAddressOf | undefined {
  if (baseUrl === undefined) return undefined;
  return (trackingId, generation) => pageAddress(baseUrl, tokens.seal({ trackingId, generation }));
}
