import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient, Question } from '../../provider.ts';
import { CARRIERS } from './carriers.ts';
import { parseTrackers } from './parse.ts';
import { parseRegistered } from './register.ts';

export type EasyPostConfig = { baseUrl: string; key: string; timeoutMs?: number };

/**
 * EasyPost: one number per call. A number gets a tracker once (`subscribe`), which is charged. Callbacks go to the address that
 * is set in the account.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function easyPostClient({ baseUrl, key, timeoutMs = 20_000 }: EasyPostConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'trackers');
  const send = httpClient({ timeoutMs });
  const basic = { user: key, password: '' };
  return {
    ask: (questions, signal) =>
      Promise.all(
        questions.map(async (question) => {
          const query = { tracking_codes: question.number };
          return parseTrackers(await send(url, { query, basic }, signal), question);
        }),
      ),
    subscribe: (questions, _callback, signal) =>
      Promise.all(
        questions.map(async (question) => {
          const json = { tracker: trackerOf(question) };
          return parseRegistered(await send(url, { json, basic }, signal));
        }),
      ),
  };
}

function trackerOf({ number, carrier }: Question) {
  const name = CARRIERS.table[carrier];
  return { tracking_code: number, ...(name && { carrier: name }) };
}
