import type { Express } from 'express';

/** Lets Express find the client behind the proxies of TRUST_PROXY. @throws an Error that names the wrong range */
export function trustProxies(app: Express, proxies: string): void {
  app.set('trust proxy', /^\d+$/.test(proxies) ? Number(proxies) : proxies);
}
