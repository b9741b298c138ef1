import ipaddr from 'ipaddr.js';

/** Receivers an operator allows although they are private: address ranges and host names. */
export type AllowList = {
  ranges: readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];
  names: readonly string[];
};

export const NOTHING_ALLOWED: AllowList = { ranges: [], names: [] };

/** Reads an allow-list of addresses, CIDRs and names. @throws an Error naming the entry that is none of them. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  const names: string[] = [];
  for (const entry of entries.map((e) => e.trim().toLowerCase()).filter((e) => e !== '')) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry)) ranges.push([ipaddr.parse(entry), entry.includes(':') ? 128 : 32]);
    else if (/^[a-z0-9.-]+$/.test(entry)) names.push(entry);
    else throw new Error(`"${entry}" is neither an address, a CIDR range nor a host name`);
  }
  return { ranges, names };
}

/** Loopback and cloud metadata are opened by an entry for exactly that address only, never by a wide range. */
const METADATA = ['169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];

function needsExactEntry(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'loopback' || METADATA.some((m) => ipaddr.parse(m).toString() === address.toString());
}

function isAllowed(address: ipaddr.IPv4 | ipaddr.IPv6, allowed: AllowList): boolean {
  return allowed.ranges.some(([base, bits]) => {
    if (base.kind() !== address.kind()) return false;
    const whole = address.kind() === 'ipv4' ? 32 : 128;
    return (bits === whole || !needsExactEntry(address)) && address.match(base, bits);
  });
}

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

/**
 * Judges one address that a receiver's name resolved to. Only global unicast may be reached: no private, loopback,
 * link-local, shared, multicast or reserved range, and no IPv6 form that embeds an IPv4 address.
 * @returns why it is refused, or null when it may be connected to.
 */
export function refuseAddress(text: string, allowed: AllowList = NOTHING_ALLOWED): string | null {
  if (!ipaddr.isValid(text)) return `${text} is not an IP address`;
  const address = ipaddr.parse(text);
  if (isAllowed(address, allowed)) return null;
  if (METADATA.some((m) => ipaddr.parse(m).toString() === address.toString())) return `${text} is a metadata address`;
  const range = address.range();
  if (range !== 'unicast') return `${text} is a ${range} address`;
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST_V6)) return `${text} is not a global address`;
  return null;
}
