import { randomUUID } from 'node:crypto';
import { httpClient } from '../../http.ts';
import { oauth } from '../../oauth.ts';
import type { ProviderClient } from '../../provider.ts';
import { urlBelow } from '../../url.ts';
import type { ProviderContext } from '../manifest.ts';
import { parseDetails } from './parse.ts';

export type UpsConfig = { baseUrl: string; clientId: string; clientSecret: string; timeoutMs?: number };

const QUERY = { locale: 'en_US', returnSignature: 'false', returnMilestones: 'false', returnPOD: 'false' };

/**
 * UPS Track: one number per call, with an OAuth token.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function upsClient(
  { baseUrl, clientId, clientSecret, timeoutMs = 15_000 }: UpsConfig,
  { tokens }: ProviderContext,
): ProviderClient {
  const url = urlBelow(baseUrl, 'api/track/v1/details');
  const send = httpClient({ timeoutMs });
  const authority = oauth({
    provider: 'ups',
    title: 'UPS',
    tokenUrl: urlBelow(baseUrl, 'security/v1/oauth/token'),
    clientId,
    clientSecret,
    style: 'basic',
    store: tokens,
  });
  return {
    ask: (questions, signal) =>
      Promise.all(
        questions.map(async (question) => {
          const outcome = await authority.call((bearer) => {
            const headers = { transId: randomUUID(), transactionSrc: 'parcel-tracking-service' };
            return send(`${url}/${encodeURIComponent(question.number)}`, { query: QUERY, bearer, headers }, signal);
          }, signal);
          return outcome.kind === 'failed' ? outcome : parseDetails(outcome, question);
        }),
      ),
  };
}
