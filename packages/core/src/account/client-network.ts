import ipaddr from 'ipaddr.js';
import { clientAddress } from './client-address.ts';

/** An IPv6 customer gets at least a /64 and can use every address in it. */
const PREFIX_BITS = 64;

/**
 * Identifies a client without a valid key: an IPv4 address, or the /64 of an IPv6 address. A text that is not
 * an address is returned unchanged.
 */
export function clientNetwork(text: string): string {
  const address = clientAddress(text);
  if (address === null) return text;
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${PREFIX_BITS}`).toString()}/${PREFIX_BITS}`;
}
