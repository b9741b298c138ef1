import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseShipments } from './parse.ts';

export type DhlUnifiedConfig = { baseUrl: string; apiKey: string; timeoutMs?: number };

/**
 * DHL Shipment Tracking - Unified: one number per call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function dhlUnifiedClient({ baseUrl, apiKey, timeoutMs = 15_000 }: DhlUnifiedConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'track/shipments');
  const send = httpClient({ timeoutMs });
  const headers = { 'DHL-API-Key': apiKey };
  return {
    ask: (questions, signal) =>
      Promise.all(
        questions.map(async (question) => {
          const query = { trackingNumber: question.number, language: 'en' };
          return parseShipments(await send(url, { query, headers }, signal), question);
        }),
      ),
  };
}
