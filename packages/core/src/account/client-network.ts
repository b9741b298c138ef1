import ipaddr from 'ipaddr.js';

/** An IPv6 customer gets at least a /64 and can use every address in it. */
const PREFIX_BITS = 64;

/**
 * Identifies a client without a valid key: an IPv4 address, or the /64 of an IPv6 address. An IPv4 address that is
 * written as IPv6 is the same client. A text that is not an address is returned unchanged.
 */
export function clientNetwork(address: string): string {
  const text = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(text)) return address;
  const parsed = ipaddr.parse(text);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${PREFIX_BITS}`).toString()}/${PREFIX_BITS}`;
}
