import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type AllowList, refuseAddress } from '@pts/core/url-policy';
import type { Address } from './connection.ts';
import { RefusedAddress } from './faults.ts';

export type Resolver = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: Address[]) => void,
) => void;

export type LookUpOptions = {
  allowed: AllowList;
  resolver?: Resolver | undefined;
  /** A name that cannot be used fails at a multiple of this time. */
  refusalMs?: number | undefined;
};

/** Longer than a lookup takes in one network. */
const REFUSAL_MS = 500;

/**
 * The addresses of a name, all checked: one refused address refuses them all. A name that does not resolve and a name inside our
 * network fail at the same times: otherwise the time would tell them apart.
 * @throws RefusedAddress, or the resolver's error.
 */
export async function lookUp(hostname: string, options: LookUpOptions, signal: AbortSignal): Promise<Address[]> {
  const { refusalMs = REFUSAL_MS } = options;
  const from = performance.now();
  try {
    return await judged(hostname, options, signal);
  } catch (fault) {
    await delay(refusalMs - ((performance.now() - from) % refusalMs), null, { signal });
    throw fault;
  }
}

async function judged(hostname: string, options: LookUpOptions, signal: AbortSignal): Promise<Address[]> {
  const literal = isIP(hostname);
  const addresses = literal
    ? [{ address: hostname, family: literal }]
    : await resolve(hostname, options.resolver ?? systemLookup, signal);
  const isNamed = options.allowed.names.includes(hostname.replace(/\.{1,255}$/, '').toLowerCase());
  for (const { address } of addresses) {
    const refused = refuseAddress(address, options.allowed, isNamed);
    if (refused !== null) throw new RefusedAddress(`${hostname} resolves to a refused address: ${refused}`);
  }
  if (addresses.length === 0) throw new RefusedAddress(`${hostname} resolves to no address`);
  return addresses.map(({ address }) => ({ address, family: isIP(address) }));
}

function resolve(hostname: string, resolver: Resolver, signal: AbortSignal): Promise<Address[]> {
  return new Promise((done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    resolver(hostname, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses)));
  });
}
