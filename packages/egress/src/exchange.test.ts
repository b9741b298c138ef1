import { BehindProxy, RefusedAddress } from './connect.ts';
import { describe as describeFault } from './exchange.ts';

const fault = (message: string, more: object) => Object.assign(new Error(message), more);
const system = (code: string, message: string) => fault(message, { code, syscall: 'connect', address: '10.0.0.1' });

test.each([
  [
    'connect',
    system('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1:443 - Local (10.2.3.4:51234)'),
    'connection: host is unreachable',
  ],
  [
    'connect',
    system('ENETUNREACH', 'connect ENETUNREACH fd00::1:443 - Local (:::0)'),
    'connection: network is unreachable',
  ],
  ['connect', system('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:443'), 'connection: connection timed out'],
  [
    'connect',
    system('EACCES', 'connect EACCES 10.0.0.1:443 - Local (10.2.3.4:51234)'),
    'connection: permission denied',
  ],
  ['connect', system('ENEW', 'connect ENEW 10.0.0.1:443'), 'connection: the connection failed'],
  [
    'connect',
    system('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:443'),
    'refused: nothing is listening at this address',
  ],
  [
    'tunnel',
    new BehindProxy('the receiver could not be reached (the egress proxy says 502)'),
    'connection: the receiver could not be reached',
  ],
  [
    'tls',
    fault(
      "Hostname/IP does not match certificate's altnames: Host: hooks.example.com. is not in the cert's altnames: DNS:payments.prod.svc, IP Address:10.0.0.1",
      { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    ),
    'tls: the certificate is not for this host name',
  ],
  [
    'tls',
    fault('C0A1:error:0A000410:SSL routines:ssl3_read_bytes:../deps/openssl/rec_layer_s3.c:1605', {
      code: 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    }),
    'tls: the handshake failed (ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE)',
  ],
  [
    'dns',
    new RefusedAddress('payments.example resolves to a refused address: 10.43.7.9 is a private address'),
    'dns: the host name does not resolve to a public address',
  ],
  [
    'dns',
    fault('getaddrinfo ENOTFOUND payments.example', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
    'dns: the host name does not resolve to a public address',
  ],
] as const)(
  'in the stage %s, %p is %j for the account, and the whole message is for the operator',
  (stage, error, reason) => {
    const { message } = error;
    expect(describeFault(error, stage, 10_000)).toEqual({ cause: reason.split(':')[0], reason, detail: message });
  },
);

test.each(['other side closed', 'Headers Overflow Error'])(
  'what the HTTP client says of a response is shown: %s',
  (message) => {
    expect(describeFault(fault(message, { code: 'UND_ERR_SOCKET' }), 'open', 1)).toEqual({
      cause: 'connection',
      reason: `connection: ${message}`,
      detail: null,
    });
  },
);
