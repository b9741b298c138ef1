import { messageOf } from '@pts/db/connection/message';
import express, { type Express } from 'express';

/** Lets Express find the client behind the proxies of TRUST_PROXY. @throws an Error that names the wrong range */
export function trustProxies(app: Express, proxies: string): void {
  app.set('trust proxy', /^\d+$/.test(proxies) ? Number(proxies) : proxies);
}

/** Why Express refuses these proxies, as the end of a sentence; null if it does not. */
export function trustProxyFault(proxies: string): string | null {
  try {
    trustProxies(express(), proxies);
    return null;
  } catch (error) {
    return `must be a number of hops or a list of ranges: ${messageOf(error)}`;
  }
}
