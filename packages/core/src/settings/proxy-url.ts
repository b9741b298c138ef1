/** What `isProxyUrl` accepts, in words. */
export const PROXY_URL_FORM = 'http(s)://[user:password@]host[:port]';

/** Whether a text is the address of an HTTP proxy. Special characters of its credentials are percent-encoded. */
export function isProxyUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && [username, password].every(isDecodable) && `${pathname}${search}${hash}` === '/';
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
