import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient, Question } from '../../provider.ts';
import { releaseById, resumeById } from '../release-by-id.ts';
import { COURIERS } from './carriers.ts';
import { bodyIn, parseResults } from './parse.ts';
import { parseRegistered } from './register.ts';

export type Ship24Config = { baseUrl: string; key: string; timeoutMs?: number };

/**
 * Ship24: one number per call. A number gets a tracker once (`subscribe`), which is charged; its results are read by number.
 * Callbacks go to the address that is set in the account.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function ship24Client({ baseUrl, key, timeoutMs = 20_000 }: Ship24Config): ProviderClient {
  const trackers = urlBelow(baseUrl, 'trackers');
  const send = httpClient({ timeoutMs });
  const setSubscribed = (id: string, isSubscribed: boolean, signal: AbortSignal | undefined) => {
    const request = { method: 'PATCH', json: { isSubscribed }, bearer: key } as const;
    return send(`${trackers}/${encodeURIComponent(id)}`, request, signal);
  };
  return {
    ask: (questions, signal) =>
      Promise.all(
        questions.map(async (question) => {
          const url = `${trackers}/search/${encodeURIComponent(question.number)}/results`;
          return parseResults(await send(url, { bearer: key }, signal), question);
        }),
      ),
    subscribe: (questions, _callback, signal) =>
      Promise.all(
        questions.map(async (question) =>
          parseRegistered(await send(trackers, { json: trackerOf(question), bearer: key }, signal)),
        ),
      ),
    release: releaseById(async (id, signal) => bodyIn(await setSubscribed(id, false, signal))),
    resume: resumeById(async (id, signal) => bodyIn(await setSubscribed(id, true, signal))),
  };
}

function trackerOf({ number, carrier, postalCode, destinationCountry }: Question) {
  const courier = COURIERS.table[carrier];
  return {
    trackingNumber: number,
    ...(courier && { courierCode: [courier] }),
    ...(postalCode && { destinationPostCode: postalCode }),
    ...(destinationCountry && { destinationCountryCode: destinationCountry }),
  };
}
