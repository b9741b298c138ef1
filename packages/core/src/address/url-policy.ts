import { isIP } from 'node:net';
import { type AllowList, refuseAddress } from './address-policy.ts';
import { refusedSuffix } from './refused-names.ts';
import { refusePort } from './refused-ports.ts';

export type UrlPolicy = {
  /** Whether plain http may be used (outside of production). */
  allowHttp: boolean;
  /** Private receivers that are explicitly allowed. */
  allowed: AllowList;
  /** Ports that are allowed besides those of web servers. Default: none. */
  allowedPorts?: readonly number[];
};

export const MAX_URL_LENGTH = 2048;

/**
 * Checks a receiver's URL by its text alone (spec sections 2.2 and 6.4, rule 5). What its name resolves to is
 * checked at every connection.
 * @returns why it is refused and what to do, or null if it is allowed.
 */
export function refuseUrl(text: string, policy: UrlPolicy): string | null {
  if (text.length > MAX_URL_LENGTH) return `url must have at most ${MAX_URL_LENGTH} characters`;
  const url = parse(text);
  if (!url) return 'url must be an absolute URL such as https://example.com/hooks';
  if (url.protocol === 'http:' && !policy.allowHttp) return 'url must use https';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'url must use https';
  if (url.username !== '' || url.password !== '') return 'url must not contain a user name or password';
  const refusedHost = refuseHost(url.hostname, policy.allowed);
  if (refusedHost !== null) return refusedHost;
  const refusedPort = url.port === '' ? null : refusePort(Number(url.port), policy.allowedPorts ?? []);
  return refusedPort && `url must not use ${refusedPort}`;
}

/**
 * Only a text with an explicit scheme and host is absolute; `URL` alone would repair `https:example.com` or `https://\\a`.
 * Not `URL.canParse`: once optimized, that of Node 20 refuses letters such as the ü of münchen.example.
 */
function parse(text: string): URL | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/\\\s]/i.test(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function refuseHost(hostname: string, allowed: AllowList): string | null {
  const name = hostname.replace(/\.{1,255}$/, '').toLowerCase();
  const literal = name.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) {
    const reason = refuseAddress(literal, allowed);
    return reason === null ? null : `url must not point to a private or reserved address (${reason})`;
  }
  if (allowed.names.includes(name)) return null;
  if (!name.includes('.')) return `url must name a public host; "${name}" is a local name`;
  const suffix = refusedSuffix(name);
  if (suffix) return `url must name a public host; names ending in ${suffix} are internal or reserved`;
  return isDnsName(hostname)
    ? null
    : 'url must have a valid DNS host name: labels of 1 to 63 letters, digits or hyphens';
}

/** Names with empty or overlong labels are invalid, and resolvers treat them differently. A name may end with one dot. */
function isDnsName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}
