import ipaddr from 'ipaddr.js';

/** Some proxies, such as those of Azure, write the port of the client behind its address. */
const WITH_PORT = /^(?:\[([^\]]{1,99})\]|([\d.]{7,15})):\d{1,5}$/;

/**
 * The address of a client: without a zone and a port, and as IPv4 if it is one that is written as IPv6.
 * @returns null for a text that is none.
 */
export function clientAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [, v6, v4] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (v6 ?? v4 ?? text).split('%');
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
