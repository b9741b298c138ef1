import { ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import type { Request } from 'express';

/**
 * The base of the URLs in responses: PUBLIC_BASE_URL, or how the client has reached the API.
 * @throws if that is not known
 */
export function createBaseUrlOf(publicBaseUrl: string | undefined): (request: Request) => string {
  const find = createBaseUrlFinder(publicBaseUrl);
  return (request) => {
    const url = find(request);
    if (url === null) throw new ServiceError('bad_request', { text: message('host_invalid') });
    return url;
  };
}

/**
 * The base of the URLs in responses, as `createBaseUrlOf` says; null if the Host header, which is untrusted text, is no
 * host.
 */
export function createBaseUrlFinder(publicBaseUrl: string | undefined): (request: Request) => string | null {
  if (publicBaseUrl !== undefined) return () => publicBaseUrl;
  // Nearly all requests have the same, and parsing it costs as much as routing.
  let last = '';
  return ({ protocol, host = '' }) => {
    const url = `${protocol}://${host}`;
    if (url === last) return url;
    if (!/^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host) || !URL.canParse(url)) return null;
    last = url;
    return url;
  };
}

/**
 * The address of the portal's page about an error.
 * @param baseUrl of the API; null if it is not known, for a relative address
 */
export function helpAddress(baseUrl: string | null, number: number): string {
  return guideAddress(baseUrl, `errors/${number}`);
}

/** The address of another page of the portal. */
export function guideAddress(baseUrl: string | null, page: string): string {
  return `${(baseUrl ?? '').replace(/\/$/, '')}/docs/${page}`;
}

/** The header `Link` of an error, also of one whose body has no room for the address. */
export function helpLink(address: string): string {
  return `<${address}>; rel="help"`;
}
