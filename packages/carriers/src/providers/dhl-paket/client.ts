import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import { escapeXml } from '../../http/xml.ts';
import type { ProviderClient } from '../../provider.ts';
import { parsePieces } from './parse.ts';

export type DhlPaketConfig = {
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  /** The user of tracking and its password. */
  appName: string;
  password: string;
  timeoutMs?: number;
};

/** DHL accepts no more in a call. */
export const BATCH_SIZE = 20;

/**
 * Parcel DE Tracking of DHL: an XML document in the query, up to 20 numbers per call. The key of the app is checked by the
 * gateway (HTTP Basic), the user inside the document by the service.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function dhlPaketClient({ baseUrl, timeoutMs = 15_000, ...account }: DhlPaketConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'parcel/de/tracking/v0/shipments');
  const send = httpClient({ timeoutMs, batchSize: BATCH_SIZE });
  const basic = { user: account.apiKey, password: account.apiSecret };
  const headers = { 'DHL-API-Key': account.apiKey, accept: 'application/xml' };
  return {
    ask: async (questions, signal) => {
      const numbers = questions.map(({ number }) => number);
      const query = { xml: documentOf(numbers, account) };
      return parsePieces(await send(url, { query, basic, headers }, signal), questions);
    },
  };
}

function documentOf(numbers: readonly string[], { appName, password }: Pick<DhlPaketConfig, 'appName' | 'password'>) {
  const attributes = {
    appname: appName,
    password,
    request: 'd-get-piece-detail',
    'language-code': 'en',
    'piece-code': numbers.join(';'),
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${escapeXml(value)}"`);
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?><data ${written.join(' ')}/>`;
}
