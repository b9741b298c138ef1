import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient, Question } from '../../provider.ts';
import { proofOf } from '../phone.ts';
import { releaseById } from '../release-by-id.ts';
import { COURIERS } from './carriers.ts';
import { dataIn, parseTrackings } from './parse.ts';
import { parseRegistered } from './register.ts';

export type TrackingMoreConfig = {
  /** With the version of the API, for example `https://api.trackingmore.com/v4`. */
  baseUrl: string;
  key: string;
  /** Numbers per call, at most. */
  batchSize: number;
  timeoutMs?: number;
};

/**
 * TrackingMore, and 51Tracking at its own address: many numbers per call. A number is registered once (`subscribe`). Callbacks
 * go to the address that is set in the account.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function trackingMoreClient({
  baseUrl,
  key,
  batchSize,
  timeoutMs = 20_000,
}: TrackingMoreConfig): ProviderClient {
  const [readUrl, registerUrl] = [urlBelow(baseUrl, 'trackings/get'), urlBelow(baseUrl, 'trackings/batch')];
  const send = httpClient({ timeoutMs, batchSize });
  const headers = { 'Tracking-Api-Key': key };
  return {
    ask: async (questions, signal) => {
      const numbers = questions.map(({ number }) => number).join(',');
      return parseTrackings(await send(readUrl, { query: { tracking_numbers: numbers }, headers }, signal), questions);
    },
    subscribe: async (questions, _callback, signal) =>
      parseRegistered(await send(registerUrl, { json: questions.map(itemOf), headers }, signal), questions),
    release: releaseById(async (id, signal) => {
      const url = urlBelow(baseUrl, `trackings/delete/${encodeURIComponent(id)}`);
      return dataIn(await send(url, { method: 'DELETE', headers }, signal));
    }),
  };
}

function itemOf(question: Question) {
  const { number, carrier, postalCode, destinationCountry } = question;
  const proof = proofOf(question);
  return {
    tracking_number: number,
    courier_code: COURIERS.table[carrier] ?? '',
    ...(proof && { customer_phone: proof }),
    ...(postalCode && { tracking_postal_code: postalCode }),
    ...(destinationCountry && { tracking_destination_country: destinationCountry }),
  };
}
