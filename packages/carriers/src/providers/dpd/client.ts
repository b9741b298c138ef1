import type { TokenStore } from '@pts/core/provider';
import { httpClient } from '../../http/http.ts';
import { accessTokens } from '../../http/oauth.ts';
import { urlBelow } from '../../http/url.ts';
import { escapeXml } from '../../http/xml.ts';
import type { ProviderClient } from '../../provider.ts';
import { readLogin } from './login.ts';
import { isTokenRefused, parseTrackingData } from './parse.ts';

export type DpdConfig = {
  baseUrl: string;
  delisId: string;
  password: string;
  tokens: TokenStore;
  timeoutMs?: number;
};

const LANGUAGE = 'en_EN';
const TYPES = 'http://dpd.com/common/service/types';

/**
 * DPD in Belgium and the Netherlands: SOAP, one number per call, with a token from a login, valid for the day. DPD allows few
 * logins a day, so all processes share a token.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function dpdClient({ baseUrl, delisId, password, tokens, timeoutMs = 15_000 }: DpdConfig): ProviderClient {
  const loginUrl = urlBelow(baseUrl, 'soap/services/LoginService/V2_1');
  const url = urlBelow(baseUrl, 'soap/services/ParcelLifeCycleService/V2_0');
  const send = httpClient({ timeoutMs });
  const auth = accessTokens({
    provider: 'dpd',
    title: 'DPD',
    tokenUrl: loginUrl,
    clientId: delisId,
    clientSecret: password,
    store: tokens,
    fetchToken: async (signal) => {
      const request = { xml: login(delisId, password), headers: { SOAPAction: `${TYPES}/LoginService/2.1/getAuth` } };
      return readLogin(await send(loginUrl, request, signal), Date.now());
    },
    isRefused: isTokenRefused,
  });
  const headers = { SOAPAction: `${TYPES}/ParcelLifeCycleService/2.0/getTrackingData` };
  return {
    prepare: auth.prepare,
    ask: async (questions, signal) => {
      const answers = questions.map(async (question) => {
        const { number } = question;
        const call = (token: string) => send(url, { xml: tracking(number, delisId, token), headers }, signal);
        const outcome = await auth.call(call, signal);
        return outcome.kind === 'failed' ? [outcome] : parseTrackingData(outcome, [question]);
      });
      return (await Promise.all(answers)).flat();
    },
  };
}

function login(delisId: string, password: string): string {
  const fields = { delisId, password, messageLanguage: LANGUAGE };
  return envelope('', `<log:getAuth>${elements(fields)}</log:getAuth>`, `xmlns:log="${TYPES}/LoginService/2.1"`);
}

function tracking(number: string, delisId: string, authToken: string): string {
  const account = elements({ delisId, authToken, messageLanguage: LANGUAGE });
  return envelope(
    `<aut:authentication>${account}</aut:authentication>`,
    `<par:getTrackingData>${elements({ parcelLabelNumber: number })}</par:getTrackingData>`,
    `xmlns:aut="${TYPES}/Authentication/2.0" xmlns:par="${TYPES}/ParcelLifeCycleService/2.0"`,
  );
}

function elements(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`)
    .join('');
}

function envelope(header: string, body: string, namespaces: string): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" ${namespaces}>` +
    `<soapenv:Header>${header}</soapenv:Header><soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`
  );
}
