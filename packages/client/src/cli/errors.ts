import { isApiError, NoAnswerError, TrackingApiError } from '../errors.ts';
import { CommandError, INTERRUPTED } from './kit.ts';

/** The exit codes of `pts`. Scripts rely on them: they are part of the interface. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  key: 3,
  noAnswer: 4,
  notFound: 5,
  limit: 6,
  interrupted: INTERRUPTED,
} as const;

/**
 * The exit code after a failed write to stdout: `pts … | head` reads only the first lines, a full disk loses the
 * others.
 */
export function exitAfterOutput({ code }: NodeJS.ErrnoException): number {
  return code === 'EPIPE' ? EXIT.ok : EXIT.failed;
}

/** Returns what `make` makes if the client accepts it. @throws CommandError with the client's reason if it does not */
export function valid<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new CommandError((error as Error).message, EXIT.usage);
  }
}

/** An error as it is shown: in one or more lines, and with --json as an object. */
export type Explained = { exit: number; lines: readonly string[]; json: { message: string; [more: string]: unknown } };

export function explain(error: unknown): Explained {
  if (error instanceof CommandError)
    return { exit: error.exit, lines: [error.message], json: { message: error.message } };
  if (error instanceof TrackingApiError) return explainRefusal(error);
  if (error instanceof NoAnswerError) return explainSilence(error);
  const text = textOf(error);
  return { exit: EXIT.failed, lines: [text], json: { message: text } };
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // One of the system, such as a file that cannot be written, names its reason; any other is a bug.
  return 'syscall' in error ? error.message : (error.stack ?? error.message);
}

function explainRefusal(error: TrackingApiError): Explained {
  const { code, status, message, fields, requestId, docsUrl } = error;
  return {
    exit: exitOf(error),
    lines: [
      `${code}: ${message}`,
      ...fields.filter((field) => !message.includes(field.message)).map((one) => `  ${one.field} ${one.message}`),
      ...adviceOn(error),
      ...(docsUrl === null ? [] : [`See ${docsUrl}`]),
      ...(status >= 500 && requestId !== null ? [`Request id: ${requestId}`] : []),
    ],
    json: { message, code, status, fields, request_id: requestId, docs_url: docsUrl },
  };
}

function exitOf(error: TrackingApiError): number {
  if (isApiError(error, 'unauthorized', 'forbidden')) return EXIT.key;
  if (isApiError(error, 'not_found', 'not_registered')) return EXIT.notFound;
  if (isApiError(error, 'too_many_requests', 'quota_exhausted')) return EXIT.limit;
  return EXIT.failed;
}

function adviceOn(error: TrackingApiError): string[] {
  if (isApiError(error, 'unauthorized'))
    return ['To see which key is used, run `pts whoami`. To store another one, run `pts login`.'];
  if (isApiError(error, 'carrier_undetected', 'unknown_courier')) return ['Add the carrier with --carrier CODE.'];
  return [];
}

const SILENCES: Readonly<Record<NoAnswerError['reason'], string>> = {
  not_sent: 'Check the address (`pts whoami` shows it) and your network, and that the service is running.',
  network: 'The connection was lost. Try again.',
  timeout: 'Try again. If the problem persists, check your network and any proxy in between.',
  not_the_api: 'This address (`pts whoami` shows it) responds, but it is not a Parcel Tracking Service.',
  cut_off: 'The connection was lost. Try again.',
};

function explainSilence({ message, reason, status, requestId }: NoAnswerError): Explained {
  return {
    exit: EXIT.noAnswer,
    lines: [message, SILENCES[reason]],
    json: { message, reason, status, request_id: requestId },
  };
}
