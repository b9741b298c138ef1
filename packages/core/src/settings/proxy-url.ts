import { isWellEncoded } from './setting.ts';

/** What `isProxyUrl` accepts, in words. */
export const PROXY_URL_FORM = 'http(s)://[user:password@]host[:port]';

/** Whether a text is the address of an HTTP proxy. Special characters of its credentials are percent-encoded. */
export function isProxyUrl(url: string): boolean {
  if (!URL.canParse(url) || !isWellEncoded(url)) return false;
  const { protocol, pathname, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === '/';
}
