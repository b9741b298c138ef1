import type { Request } from 'express';

/** How a client has reached the API, by its request; null if the Host header, which is untrusted text, is no host. */
export function createBaseUrlOf(): (request: Request) => string | null {
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
