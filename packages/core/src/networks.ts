import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [base: Address, bits: number];

/** The maximum number of networks of a key. */
export const MAX_NETWORKS = 20;

/**
 * The usual form of a network: `10.1.2.3/8` is `10.0.0.0/8`, and an address is a network of its own.
 * @returns null if the text is neither an address nor a CIDR range.
 */
export function toNetwork(text: string): string | null {
  const [address = '', bits, ...more] = text.trim().split('/');
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return networkText(ipaddr.IPv4, address, Number(bits ?? 32), 32);
  const isOwn = ipaddr.IPv6.isValid(address) && !address.includes('%');
  // Clients over IPv4 are known by their IPv4 addresses.
  if (!isOwn || ipaddr.IPv6.parse(address).isIPv4MappedAddress()) return null;
  return networkText(ipaddr.IPv6, address, Number(bits ?? 128), 128);
}

function networkText(kind: typeof ipaddr.IPv4 | typeof ipaddr.IPv6, address: string, bits: number, whole: number) {
  return bits > whole ? null : `${kind.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;
}

/** Whether the address of a client is in one of these networks (`toNetwork`). */
export function isInNetworks(text: string, networks: readonly string[]): boolean {
  const client = clientAddress(text);
  if (client === null) return false;
  return networks.some((network) => includes(ipaddr.parseCIDR(network), [client, 8 * client.toByteArray().length]));
}

/** Whether every address of a network is in one of the others. */
export function isWithinNetworks(network: string, others: readonly string[]): boolean {
  return others.some((other) => includes(ipaddr.parseCIDR(other), ipaddr.parseCIDR(network)));
}

function includes([base, bits]: Range, [address, addressBits]: Range): boolean {
  return base.kind() === address.kind() && bits <= addressBits && address.match(base, bits);
}

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

/** Some proxies, such as those of Azure, write the port of the client behind its address. */
const WITH_PORT = /^(?:\[([^\]]{1,99})\]|([\d.]{7,15})):\d{1,5}$/;

/**
 * The address of a client: without a zone and a port, and as IPv4 if it is one that is written as IPv6.
 * @returns null for a text that is none.
 */
function clientAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [, v6, v4] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (v6 ?? v4 ?? text).split('%');
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
