import type { FailedAnswer } from '@pts/core/tracking/answer';
import { xmlBody } from '../../answer/body.ts';
import { failed } from '../../answer/failure.ts';
import type { HttpOutcome } from '../../http/http.ts';
import type { FetchedToken } from '../../http/oauth.ts';
import { descendants } from '../../http/xml.ts';
import { resolveTime } from '../../time/time-zone.ts';
import { outcomeOfFault } from './codes.ts';
import { faultIn } from './parse.ts';

/** DPD's tokens expire at night. One whose expiry cannot be read is used for this long. */
const UNSTATED_LIFE_SECONDS = 6 * 3600;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/**
 * Reads the answer to one `getAuth` call: a token and its end, which is local time in the Netherlands and Belgium. The token
 * is not read like other texts, because it may be longer than their limit.
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
  if (!TOKEN.test(value)) return failed('transient', 'DPD answered a login without a token');
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
