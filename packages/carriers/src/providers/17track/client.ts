import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient, Question } from '../../provider.ts';
import { findCarrier } from '../../registry/registry.ts';
import { lastFourOf } from '../phone.ts';
import { keyOf } from './carriers.ts';
import { parseTrackInfo } from './parse.ts';
import { parseRegistered } from './register.ts';
import { parseRestarted, parseStopped } from './release.ts';

export type Track17Config = {
  /** With the version of the API, for example `https://api.17track.net/track/v2.4`. */
  baseUrl: string;
  key: string;
  /** Numbers per call, at most. */
  batchSize: number;
  timeoutMs?: number;
};

/**
 * 17TRACK: many numbers per call. A number is registered once (`subscribe`), which costs a unit; reading it is free. Callbacks go
 * to the address that is set in the account.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function track17Client({ baseUrl, key, batchSize, timeoutMs = 20_000 }: Track17Config): ProviderClient {
  const [readUrl, registerUrl] = [urlBelow(baseUrl, 'gettrackinfo'), urlBelow(baseUrl, 'register')];
  const [stopUrl, restartUrl] = [urlBelow(baseUrl, 'stoptrack'), urlBelow(baseUrl, 'retrack')];
  const send = httpClient({ timeoutMs, batchSize });
  const headers = { '17token': key };
  return {
    ask: async (questions, signal) => {
      // Without its carrier, which 17TRACK may have corrected: under another key a number counts as not registered.
      const json = questions.map(({ number }) => ({ number }));
      return parseTrackInfo(await send(readUrl, { json, headers }, signal), questions);
    },
    subscribe: async (questions, _callback, signal) => {
      const json = questions.map((question) => ({ ...itemOf(question), ...extraOf(question) }));
      return parseRegistered(await send(registerUrl, { json, headers }, signal), questions);
    },
    release: async (questions, signal) => {
      const json = questions.map(({ number }) => ({ number }));
      return parseStopped(await send(stopUrl, { json, headers }, signal), questions);
    },
    resume: async (questions, signal) => {
      const json = questions.map(({ number }) => ({ number }));
      return parseRestarted(await send(restartUrl, { json, headers }, signal), questions);
    },
  };
}

function itemOf({ number, carrier }: Question) {
  const key = keyOf(carrier);
  return { number, ...(key !== undefined && { carrier: key }) };
}

/** What some carriers require besides the number: v2.4 has a field for each, older versions only `param`, for the one that is required. */
function extraOf({ carrier, phone, postalCode, destinationCountry }: Question) {
  const lastFour = phone && lastFourOf(phone);
  const wantsPhone = findCarrier(carrier, { sandbox: false })?.requiredFields.includes('phone');
  const param = wantsPhone ? lastFour : postalCode;
  return {
    ...(param && { param }),
    ...(lastFour && { phone_number_last_4: lastFour }),
    ...(postalCode && { destination_postal_code: postalCode }),
    ...(destinationCountry && { destination_country: destinationCountry }),
  };
}
