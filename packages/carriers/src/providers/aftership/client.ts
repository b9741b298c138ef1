import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient, Question } from '../../provider.ts';
import { proofOf } from '../phone.ts';
import { releaseById } from '../release-by-id.ts';
import { alpha3Of } from './alpha-3.ts';
import { COURIERS } from './carriers.ts';
import { bodyIn, parseTrackings } from './parse.ts';
import { parseRegistered } from './register.ts';

export type AfterShipConfig = {
  /** With the version of the API, for example `https://api.aftership.com/tracking/2025-01`. */
  baseUrl: string;
  key: string;
  /** Numbers per query, at most. */
  batchSize: number;
  timeoutMs?: number;
};

/**
 * AfterShip: many numbers per query, one per registration (`subscribe`), which is charged. Callbacks go to the address that is
 * set in the account.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function afterShipClient({ baseUrl, key, batchSize, timeoutMs = 20_000 }: AfterShipConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'trackings');
  const send = httpClient({ timeoutMs, batchSize });
  const headers = { 'as-api-key': key };
  return {
    ask: async (questions, signal) => {
      const numbers = questions.map(({ number }) => number).join(',');
      // A number may be registered under several carriers.
      const query = { tracking_numbers: numbers, limit: '200' };
      return parseTrackings(await send(url, { query, headers }, signal), questions);
    },
    subscribe: (questions, _callback, signal) =>
      Promise.all(
        questions.map(async (question) =>
          parseRegistered(await send(url, { json: trackingOf(question), headers }, signal)),
        ),
      ),
    // Marking a tracking as completed would need a reason, such as lost, that is not known.
    release: releaseById(async (id, signal) =>
      bodyIn(await send(`${url}/${encodeURIComponent(id)}`, { method: 'DELETE', headers }, signal)),
    ),
  };
}

function trackingOf(question: Question) {
  const { number, carrier, postalCode, destinationCountry } = question;
  const proof = proofOf(question);
  const slug = COURIERS.table[carrier];
  const country = destinationCountry && alpha3Of(destinationCountry);
  return {
    tracking_number: number,
    ...(slug && { slug }),
    ...(proof && { tracking_key: proof }),
    ...(postalCode && { destination_postal_code: postalCode }),
    ...(country && { destination_country_region: country }),
  };
}
