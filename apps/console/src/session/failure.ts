import { NoAnswerError, TrackingApiError } from '@pts/client/errors';
import type { Text } from '../i18n/en.ts';

/** A failed request, as a reader can use it. */
export type Failure = {
  what: string;
  /** Says what to do about the failure. */
  advice: string;
  /** The language of the advice, if it is not that of the console. */
  lang: 'en' | undefined;
  /** To quote in a support request. */
  requestId: string | null;
  /** When the service accepts the next try, in seconds from now. */
  retryAfterSeconds: number | null;
};

/**
 * Says what is wrong with a field, in a sentence that begins with the label of its control; null: nothing is.
 * @param name its name in the request, which stands for its parts, too: `networks` for `networks.0`
 */
export function faultOf(error: unknown, name: string, label: string, text: Text): string | null {
  const fault = faultsOf(error).find(({ field }) => isPart(field, [name]));
  return fault ? text.failure.ofField(label, fault.message) : null;
}

/** Whether everything that is wrong is said at these fields, and nothing is left to be said below the form. */
export function isSaidAt(names: readonly string[], error: unknown): boolean {
  const faults = faultsOf(error);
  return faults.length > 0 && faults.every(({ field }) => isPart(field, names));
}

function faultsOf(error: unknown): TrackingApiError['fields'] {
  return error instanceof TrackingApiError ? error.fields : [];
}

function isPart(field: string, names: readonly string[]): boolean {
  return names.some((name) => field === name || field.startsWith(`${name}.`));
}

/** @param error whatever a call of the client threw. */
export function failureOf(error: unknown, text: Text): Failure {
  const t = text.failure;
  if (error instanceof TrackingApiError) {
    const { message, requestId, retryAfterSeconds, status } = error;
    if (status === 429) return { what: t.limited, advice: t.waits, lang: undefined, requestId, retryAfterSeconds };
    const what = status >= 500 ? t.broken : t.refused;
    const advice = [message, ...fieldsOf(error)].join(' ');
    return { what, advice, lang: undefined, requestId, retryAfterSeconds: null };
  }
  if (error instanceof NoAnswerError) {
    const { requestId } = error;
    const isOurs = error.reason === 'not_the_api';
    const said = isOurs
      ? ({ advice: error.message, lang: 'en' } as const)
      : { advice: t.checkNetwork, lang: undefined };
    return { what: t.noAnswer, ...said, requestId, retryAfterSeconds: null };
  }
  return { what: t.unexpected, advice: String(error), lang: 'en', requestId: null, retryAfterSeconds: null };
}

/** A failure in one line, for requests that nobody but the reader retries. */
export function sentenceOf(error: unknown, text: Text): string {
  const { what, advice, retryAfterSeconds } = failureOf(error, text);
  return `${what} ${retryAfterSeconds === null ? advice : text.failure.inSeconds(retryAfterSeconds)}`;
}

/** The invalid fields that the message does not name already. */
function fieldsOf({ fields, message }: TrackingApiError): string[] {
  return fields.filter(({ field }) => !message.includes(field)).map((one) => `${one.field} ${one.message}.`);
}
