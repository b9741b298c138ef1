import { text } from '@pts/core/settings';
import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTracking } from './parse.ts';

const OBTAIN =
  'register an app with the role "Amazon Shipping" in the Solution Provider Portal (https://developer-docs.amazon.com/amazon-shipping) and authorize it for your account';
/** The addresses of the API in the regions, whose tokens come from `https://api.amazon.com`. */
const OF_AMAZON = /^(?:sandbox\.)?sellingpartnerapi-(?:eu|na|fe)\.amazon\.com$/;
const BUSINESSES = ['UK', 'US', 'IN', 'IT', 'ES', 'FR', 'UAE', 'SA', 'EG', 'JP'].map(
  (place) => `AmazonShipping_${place}`,
);

/**
 * `GET /shipping/v2/tracking` of the Selling Partner API (https://developer-docs.amazon.com/amazon-shipping): one
 * number per call, with an access token in a header of its own.
 */
export const amazonShipping = defineProvider({
  name: 'amazon-shipping',
  title: 'Amazon Shipping',
  about: 'tracking in the Shipping API v2 (Selling Partner API), for shipments of your own account',
  capabilities: ['read'],
  language: 'en',
  carriers: { amazon: 'AMZN' },
  apiUrl: 'https://sellingpartnerapi-eu.amazon.com',
  otherUrls:
    'https://sellingpartnerapi-na.amazon.com in America, https://sandbox.sellingpartnerapi-eu.amazon.com for tests',
  settings: {
    clientId: credential('AMAZON_SHIPPING_CLIENT_ID', 'the LWA client ID of your app at Amazon', OBTAIN),
    clientSecret: credential('AMAZON_SHIPPING_CLIENT_SECRET', 'the LWA client secret of your app', OBTAIN),
    refreshToken: credential('AMAZON_SHIPPING_REFRESH_TOKEN', 'the refresh token of your authorization', OBTAIN),
    businessId: {
      ...text('AMAZON_SHIPPING_BUSINESS_ID', 'the business of your account, by country', {
        schema: { enum: BUSINESSES },
      }),
      fallback: 'AmazonShipping_UK',
    },
  },
  limits: { batchSize: 1, concurrency: 4, floorSeconds: 900, callsPerSecond: 10 },
  answers: 'JSON: payload.eventHistory[]',
  parse: (outcome, requested) => requested.map((each) => parseTracking(outcome, each)),
  connect: ({ baseUrl, refreshToken, businessId, ...client }, { tokens }) => {
    const url = urlBelow(baseUrl, 'shipping/v2/tracking');
    const send = httpClient({ timeoutMs: 15_000 });
    const authority = OF_AMAZON.test(new URL(baseUrl).hostname) ? 'https://api.amazon.com' : baseUrl;
    const auth = oauth({
      provider: 'amazon-shipping',
      title: 'Amazon Shipping',
      tokenUrl: urlBelow(authority, 'auth/o2/token'),
      style: 'form',
      params: { grant_type: 'refresh_token', refresh_token: refreshToken },
      isRefused: (outcome) => outcome.kind === 'response' && outcome.status === 403,
      store: tokens,
      ...client,
    });
    return {
      prepare: auth.prepare,
      ask: askEach(({ number }, signal) => {
        const query = { trackingId: number, carrierId: carrierIdOf(businessId) };
        return auth.call((token) => {
          const headers = { 'x-amz-access-token': token, 'x-amzn-shipping-business-id': businessId };
          return send(url, { query, headers }, signal);
        }, signal);
      }, parseTracking),
    };
  },
});

/** Amazon's own carrier in the country of a business. */
function carrierIdOf(businessId: string): string {
  const place = businessId.replace('AmazonShipping_', '');
  return place === 'IN' ? 'ATS' : `AMZN_${place}`;
}
