import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Private receivers that the operator allows: address ranges and host names. */
export type AllowList = {
  ranges: readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];
  names: readonly string[];
};

export const NOTHING_ALLOWED: AllowList = { ranges: [], names: [] };

const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;
/** The last label of a host name is not a number, so a text that looks like an address is never a name. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Reads an allow-list of addresses, CIDRs and names. @throws an Error naming the invalid entry. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  const names: string[] = [];
  for (const entry of entries.map((e) => e.trim().toLowerCase()).filter((e) => e !== '')) {
    const name = entry.replace(/\.$/, '');
    if (ipaddr.IPv6.isValidCIDR(entry) || ipaddr.IPv4.isValidCIDRFourPartDecimal(entry))
      ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.IPv6.isValid(entry)) ranges.push([ipaddr.parse(entry), 128]);
    else if (ipaddr.IPv4.isValidFourPartDecimal(entry)) ranges.push([ipaddr.parse(entry), 32]);
    else if (NAME.test(name) && !ENDS_IN_NUMBER.test(name)) names.push(name);
    else throw new Error(`"${entry}" is neither an address, a CIDR range nor a host name`);
  }
  return { ranges, names };
}

/** Whether an allow-list may have an entry. */
export function isAllowable(entry: string): boolean {
  try {
    parseAllowList([entry]);
    return true;
  } catch {
    return false;
  }
}

/** Where clouds hand out credentials of the machine. The network policy in k8s/base refuses the same addresses. */
export const METADATA_ADDRESSES = [
  '169.254.169.254', // most clouds
  '169.254.170.2', // AWS, tasks
  '169.254.170.23', // AWS, pods
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  '168.63.129.16', // Azure, a public address
  '192.0.0.192', // Oracle
  '100.100.100.200', // Alibaba
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS, pods
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
  'fd00:c1::a9fe:a9fe', // Oracle
] as const;

const METADATA = new Set(METADATA_ADDRESSES.map((text) => ipaddr.parse(text).toString()));

function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return METADATA.has(address.toString());
}

/**
 * This machine (also by its unspecified address) and cloud metadata are allowed only by an entry for exactly that
 * address, never by a wide range or by a name; the same applies to their IPv6 forms.
 */
function needsExactEntry(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const range = address.range();
  if (range === 'loopback' || range === 'unspecified' || isMetadata(address)) return true;
  const bytes = address.toByteArray();
  const isHeld = (held: number[]) => needsExactEntry(new ipaddr.IPv4(held));
  if (range === 'ipv4Mapped' || range === 'rfc6145') return isHeld(bytes.slice(-4));
  return range === 'rfc6052' && (isHeld(bytes.slice(-4)) || heldBehind48(bytes).some(isHeld));
}

/** Behind a prefix of 48 bits, NAT64 may hold the IPv4 address around byte 8 instead of at the end (RFC 6052). */
function heldBehind48(bytes: number[]): number[][] {
  const held = [...bytes.slice(6, 8), ...bytes.slice(9, 11)];
  return held.some((byte) => byte !== 0) ? [held] : [];
}

function isAllowed(address: ipaddr.IPv4 | ipaddr.IPv6, allowed: AllowList): boolean {
  return allowed.ranges.some(([base, bits]) => {
    if (base.kind() !== address.kind()) return false;
    const whole = address.kind() === 'ipv4' ? 32 : 128;
    return (bits === whole || !needsExactEntry(address)) && address.match(base, bits);
  });
}

/** An interface identifier that holds an IPv4 address (RFC 5214): a tunnel into a network of version 4. */
function isIsatap(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const [first = 0, second, third, fourth] = address.toByteArray().slice(8, 12);
  return (first & 0xfd) === 0 && second === 0 && third === 0x5e && fourth === 0xfe;
}

/** Of 2000::/3, IANA assigns nothing from 3000:: on; 3ffe::/16 was that of the 6bone, 3fff::/20 is for documentation. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/4');

/**
 * Checks one address that a receiver's name resolved to. Only global unicast may be reached: no private, loopback,
 * link-local, shared, multicast or reserved range, and no IPv6 form that embeds an IPv4 address.
 * @param isNamed whether the allow-list names the host that resolved to it: this allows private addresses, too.
 * @returns why it is refused, or null when it may be connected to.
 */
export function refuseAddress(text: string, allowed: AllowList = NOTHING_ALLOWED, isNamed = false): string | null {
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return `${text} is not an IP address`;
  const address = ipaddr.parse(text);
  if (isAllowed(address, allowed) || (isNamed && !needsExactEntry(address))) return null;
  if (isMetadata(address)) return `${text} is a metadata address`;
  const range = address.range();
  if (range !== 'unicast') return `${text} is a ${range} address`;
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST_V6)) return `${text} is not a global address`;
  if (isIsatap(address)) return `${text} is an ISATAP address`;
  return null;
}
