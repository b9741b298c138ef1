import { randomUUID } from 'node:crypto';
import { httpClient } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import type { ProviderContext } from '../manifest.ts';
import { parseDetails } from './parse.ts';
import { parseSubscribed, subscriptionOf } from './subscribe.ts';

export type UpsConfig = {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** The credential of UPS's callbacks; without it (''), nothing is subscribed to. */
  webhookCredential?: string;
  timeoutMs?: number;
};

const QUERY = { locale: 'en_US', returnSignature: 'false', returnMilestones: 'false', returnPOD: 'false' };

/**
 * UPS Track: one number per call, with an OAuth token. UPS Track Alert: up to 100 numbers per subscription.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function upsClient(
  { baseUrl, clientId, clientSecret, webhookCredential = '', timeoutMs = 15_000 }: UpsConfig,
  { tokens }: ProviderContext,
): ProviderClient {
  const url = urlBelow(baseUrl, 'api/track/v1/details');
  const subscribeUrl = urlBelow(baseUrl, 'api/track/v2/subscription/standard/package');
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
    prepare: authority.prepare,
    ask: (questions, signal) =>
      Promise.all(
        questions.map(async (question) => {
          const outcome = await authority.call((bearer) => {
            const request = { query: QUERY, bearer, headers: headersOfCall() };
            return send(`${url}/${encodeURIComponent(question.number)}`, request, signal);
          }, signal);
          return outcome.kind === 'failed' ? outcome : parseDetails(outcome, question);
        }),
      ),
    // Without the credential its callbacks would be refused.
    ...(webhookCredential !== '' && {
      subscribe: async (questions, _callback, signal) => {
        const outcome = await authority.call((bearer) => {
          const request = { json: subscriptionOf(questions), bearer, headers: headersOfCall() };
          return send(subscribeUrl, request, signal);
        }, signal);
        return outcome.kind === 'failed' ? questions.map(() => outcome) : parseSubscribed(outcome, questions);
      },
    }),
  };
}

function headersOfCall() {
  return { transId: randomUUID(), transactionSrc: 'parcel-tracking-service' };
}
