import type { Stage } from './connection.ts';
import type { Cause } from './sent.ts';

/** Why there was no response. The delivery log shows it as `cause: text`; the causes are stable. */
export function describe(error: unknown, stage: Stage | null, timeoutMs: number): { cause: Cause; reason: string } {
  const [cause, text] = whyNot(error, stage, timeoutMs);
  return { cause, reason: `${cause}: ${text}` };
}

function whyNot(error: unknown, stage: Stage | null, timeoutMs: number): [Cause, text: string] {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  if (name === 'TimeIsOver') return ['timeout', `no answer within ${timeoutMs / 1000} s`];
  if (name === 'RefusedAddress') return ['blocked', message ?? ''];
  if (code === 'ECONNREFUSED') return ['refused', 'nothing listens at this address'];
  const isOwn = code?.startsWith('UND_ERR_');
  if (stage === 'dns' && !isOwn) return ['dns', 'the host name does not resolve'];
  if (stage === 'tls' && !isOwn) return ['tls', tlsFault(code, message)];
  return ['connection', message || code || name || 'failed'];
}

/** OpenSSL's own messages name its source files; these are the errors that merchants see. */
const TLS_FAULTS: Record<string, string> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS on this port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the server does not support TLS 1.2 or newer',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the server does not support TLS 1.2 or newer',
  ECONNRESET: 'the server closed the connection during the handshake',
};

function tlsFault(code: string | undefined, message: string | undefined): string {
  const known = code && TLS_FAULTS[code];
  return known || message || code || 'the handshake failed';
}
