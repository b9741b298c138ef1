import { getSystemErrorMap } from 'node:util';
import type { Stage } from './connection.ts';
import type { Cause, NoAnswer } from './sent.ts';

/**
 * Why there was no response. The delivery log shows `reason`, as `cause: text`; the causes are stable. Its texts come from the
 * tables here: the messages of the system name addresses of our network, and those of TLS the names in a certificate.
 */
export function describe(error: unknown, stage: Stage | null, timeoutMs: number): NoAnswer {
  const fault = error as Fault;
  const [cause, text] = whyNot(fault, stage, timeoutMs);
  const detail = fault.message || fault.code || null;
  return { cause, reason: `${cause}: ${text}`, detail: detail === text ? null : detail };
}

type Fault = { name?: string; message?: string; code?: string; syscall?: string };

/** One text for a name that does not resolve and for one inside our network: which one it is concerns only the operator. */
const NOT_PUBLIC = 'the host name does not resolve to a public address';

function whyNot({ name, message, code, syscall }: Fault, stage: Stage | null, timeoutMs: number): [Cause, string] {
  if (name === 'TimeIsOver') return ['timeout', `no answer within ${timeoutMs / 1000} s`];
  if (name === 'RefusedAddress') return ['dns', NOT_PUBLIC];
  if (name === 'BehindProxy') return ['connection', 'the receiver could not be reached'];
  if (code === 'ECONNREFUSED') return ['refused', 'nothing listens at this address'];
  const isOwn = code?.startsWith('UND_ERR_');
  if (stage === 'dns' && !isOwn) return ['dns', NOT_PUBLIC];
  if (stage === 'tls' && !isOwn) return ['tls', tlsFault(code)];
  // Without a system call, it is the HTTP client's: about the response, in fixed words.
  return ['connection', (syscall === undefined ? message : SYSTEM_FAULTS.get(code ?? '')) || 'the connection failed'];
}

/** The system's words for its errors, without the addresses: `host is unreachable`. */
const SYSTEM_FAULTS = new Map([...getSystemErrorMap().values()]);

/** OpenSSL's own messages name its source files; these are the errors that merchants see. */
const TLS_FAULTS: Record<string, string> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS on this port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the server does not support TLS 1.2 or newer',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the server does not support TLS 1.2 or newer',
  ECONNRESET: 'the server closed the connection during the handshake',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is not for this host name',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in the chain',
  UNABLE_TO_GET_ISSUER_CERT: 'unable to verify the certificate: its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unable to verify the certificate: its issuer is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'unable to verify the certificate: its issuer is unknown, or the server does not send the intermediate certificate',
};

function tlsFault(code: string | undefined): string {
  const known = code && TLS_FAULTS[code];
  return known || (code ? `the handshake failed (${code})` : 'the handshake failed');
}
