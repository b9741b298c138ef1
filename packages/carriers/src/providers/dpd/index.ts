import type { FailedAnswer } from '@pts/core/tracking/answer';
import { failed, xmlBody } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, urlBelow } from '../../http/http.ts';
import { accessTokens, type FetchedToken } from '../../http/oauth.ts';
import { descendants, escapeXml } from '../../http/xml.ts';
import { askEach } from '../../provider.ts';
import { resolveTime } from '../../time/time.ts';
import { credential, defineProvider } from '../manifest.ts';
import { faultIn, isTokenRefused, outcomeOfFault, parseTrackingData } from './parse.ts';

const OBTAIN = 'DPD in your country gives shippers access to its web services on request';

/**
 * DPD in Belgium and the Netherlands: SOAP, one number per call, with a token from a login, valid for the day. DPD
 * allows few logins a day, so all processes share a token.
 */
export const dpd = defineProvider({
  name: 'dpd',
  title: 'DPD (Belgium, Netherlands)',
  about: 'the parcel life cycle service, for shippers in Belgium and the Netherlands',
  capabilities: ['read'],
  language: 'en',
  carriers: { dpd: 'dpd' },
  apiUrl: 'https://wsshipper.dpd.nl',
  otherUrls: 'https://wsshipper.dpd.be in Belgium',
  settings: {
    delisId: credential('DPD_DELIS_ID', 'your user (DELIS ID) at DPD', OBTAIN),
    password: credential('DPD_PASSWORD', 'your password at DPD', OBTAIN),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'XML, with or without its SOAP envelope: trackingresult with statusInfo elements',
  parse: parseTrackingData,
  connect: ({ baseUrl, delisId, password }, { tokens }) => {
    const loginUrl = urlBelow(baseUrl, 'soap/services/LoginService/V2_1');
    const url = urlBelow(baseUrl, 'soap/services/ParcelLifeCycleService/V2_0');
    const send = httpClient({ timeoutMs: 15_000 });
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
      ask: askEach(
        ({ number }, signal) => {
          const call = (token: string) => send(url, { xml: tracking(number, delisId, token), headers }, signal);
          return auth.call(call, signal);
        },
        (outcome, question) => parseTrackingData(outcome, [question]),
      ),
    };
  },
});

const LANGUAGE = 'en_EN';
const TYPES = 'http://dpd.com/common/service/types';

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

/** DPD's tokens expire at night. One whose expiry cannot be read is used for this long. */
const UNSTATED_LIFE_SECONDS = 6 * 3600;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/**
 * Reads the answer to one `getAuth` call: a token and its end, which is local time in the Netherlands and Belgium. The
 * token is not read like other texts, because it may be longer than their limit.
 */
export function readLogin(outcome: HttpOutcome, nowMs: number): FetchedToken | FailedAnswer {
  const read = xmlBody(outcome, 'DPD (login)', [200, 500]);
  if (read.kind === 'failed') return read;
  const fault = faultIn(read.body);
  if (fault !== undefined) {
    const outcomeOf = outcomeOfFault(fault);
    const isOutage = outcomeOf === 'transient' || outcomeOf === 'rate_limited';
    return failed(isOutage ? outcomeOf : 'auth', `DPD refused the login: ${fault}`);
  }
  const value = tokenIn(outcome.kind === 'response' ? outcome.text : '');
  if (!TOKEN.test(value)) return failed('transient', 'DPD responded to a login without a token');
  const [expires] = descendants(read.body, 'authTokenExpires');
  const end = resolveTime(expires?.text ?? '', 'Europe/Amsterdam');
  const seconds = end === null ? 0 : Math.floor((Date.parse(end.time) - nowMs) / 1000);
  return { value, expiresInSeconds: seconds > 0 ? seconds : UNSTATED_LIFE_SECONDS };
}

const OPENING = 'authToken>';

function tokenIn(text: string): string {
  const start = text.indexOf(OPENING);
  return start < 0 ? '' : text.slice(start + OPENING.length, text.indexOf('<', start)).trim();
}
