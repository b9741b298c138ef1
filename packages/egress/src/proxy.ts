import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { isProxyUrl, PROXY_URL_FORM } from '@pts/core/settings';
import type { Address, Connection } from './connection.ts';
import { BehindProxy, ProxyFault, TimeIsOver } from './faults.ts';

/** A proxy that all pushes leave through. */
export type EgressProxy = { isTls: boolean; host: string; port: number; authorization: string | null; ca?: string };

/** @param url http(s)://[user:password@]host[:port]. @throws an Error that does not repeat it: it may hold a password. */
export function parseProxy(url: string): EgressProxy {
  if (!isProxyUrl(url)) throw new Error(`The egress proxy URL must have the form ${PROXY_URL_FORM}`);
  const parsed = new URL(url);
  const isTls = parsed.protocol === 'https:';
  const credentials = [parsed.username, parsed.password].map(decodeURIComponent).join(':');
  return {
    isTls,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port) || (isTls ? 443 : 80),
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/**
 * Lets the proxy connect to a checked address, never to a name, so that it resolves nothing. A failure of the proxy (4xx,
 * no answer, an invalid answer) is an internal error; a 5xx means that it could not reach the receiver.
 */
export function tunnel(
  proxy: EgressProxy,
  addresses: Address[],
  port: number,
  connection: Connection,
  signal: AbortSignal,
): Promise<Socket> {
  // One address is tried, preferably IPv4: the proxy's network may have nothing else.
  const address = (addresses.find(({ family }) => family === 4) ?? addresses[0])?.address ?? '';
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  connection.stage = 'proxy';
  connection.address = address;
  return new Promise((resolve, reject) => {
    const fault = (words: string) => reject(new ProxyFault(`the egress proxy ${words}`));
    const tls = { ALPNProtocols: ['http/1.1'], ...(proxy.ca !== undefined && { ca: proxy.ca }) };
    const request = (proxy.isTls ? requestHttps : requestHttp)({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: authority,
      agent: false,
      signal,
      maxHeaderSize: 16_384,
      ...tls,
      headers: { Host: authority, ...(proxy.authorization && { 'Proxy-Authorization': proxy.authorization }) },
    });
    request.on('socket', (socket) => {
      socket.once(proxy.isTls ? 'secureConnect' : 'connect', () => {
        connection.stage = 'tunnel';
      });
    });
    request.on('connect', ({ statusCode = 0 }, stream, head) => {
      const socket = stream as Socket;
      socket.on('error', () => {});
      if (statusCode >= 200 && statusCode <= 299) {
        if (head.length > 0) socket.unshift(head);
        socket.setNoDelay(true);
        return resolve(socket);
      }
      socket.destroy();
      if (statusCode >= 500)
        return reject(new BehindProxy(`the receiver could not be reached (the egress proxy says ${statusCode})`));
      fault(`answered ${statusCode}`);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted && connection.stage === 'tunnel') return reject(new TimeIsOver());
      fault(signal.aborted ? 'does not answer' : `failed: ${error.code ?? error.message}`);
    });
    request.end();
  });
}
