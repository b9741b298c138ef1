import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What is wrong with the proxies of TRUST_PROXY, as the end of a sentence; null if Express can trust them. */
export function trustedProxiesFault(proxies: string): string | null {
  if (/^\d+$/.test(proxies)) return null;
  const wrong = proxies.split(',').find((range) => !isRange(range.trim()));
  return wrong === undefined
    ? null
    : `has "${wrong.trim()}"; it must be a number of proxies, or a list of addresses and ranges, such as 10.0.0.0/8`;
}

/** Also with a mask, such as 10.0.0.0/255.0.0.0, or one of the names that Express knows. */
function isRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', width, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (width === undefined) return true;
  const bits = isIP(width) === 4 && version === 4 ? ipaddr.IPv4.parse(width).prefixLengthFromSubnetMask() : width;
  return /^\d+$/.test(`${bits}`) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}
