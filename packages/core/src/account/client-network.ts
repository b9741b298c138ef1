import ipaddr from 'ipaddr.js';

/** An IPv6 customer gets at least this much, and all its addresses. */
const PREFIX_BITS = 64;

/**
 * By what a client is told apart while it has no valid key: an IPv4 address, or the /64 of an IPv6 one. An IPv4 address
 * that is written as IPv6 is the same client. What is no address stands for itself.
 */
export function clientNetwork(address: string): string {
  const text = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(text)) return address;
  const parsed = ipaddr.parse(text);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${PREFIX_BITS}`).toString()}/${PREFIX_BITS}`;
}
