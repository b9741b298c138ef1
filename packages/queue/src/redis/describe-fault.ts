import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseRedisAddress, type RedisNode, showRedisAddress } from '@pts/core/settings';

const LOOK_MS = 1000;
/** How a connection fails if one side speaks TLS and the other does not: hung, reset, or not understood. */
const NOT_UNDERSTOOD =
  /ETIMEDOUT|ECONNRESET|EPIPE|EPROTO|RESP type|Protocol error|slots cache|sentinels are unreachable/i;

/** Where a Redis is, for operators: without credentials. */
export function nameOfRedis(url: string): string {
  const address = parseRedisAddress(url);
  return address === null ? 'Redis' : `Redis ${showRedisAddress(address)}`;
}

/**
 * A listener of the errors of a Redis that adds where it is and, where a connection was not understood, whether it
 * would be with TLS, or without.
 */
export function namingRedis(url: string, onError: (error: Error) => void): (error: Error) => void {
  const report = (error: Error, reason: string) =>
    onError(new Error(`${nameOfRedis(url)}: ${reason}`, { cause: error }));
  return (error) => {
    if (NOT_UNDERSTOOD.test(error.message)) void describeFault(url, error).then((reason) => report(error, reason));
    else report(error, error.message);
  };
}

/**
 * Why a Redis cannot be used, as its client says; and how to write its address, if its port speaks the other protocol.
 */
export async function describeFault(url: string, { message }: Error): Promise<string> {
  const address = parseRedisAddress(url);
  const [scheme = ''] = url.split(':');
  const isTls = scheme.startsWith('rediss');
  if (address === null || !NOT_UNDERSTOOD.test(message)) return message;
  const [node] = address.kind === 'server' ? [nodeOf(address.url)] : address.nodes;
  if (node === undefined) return message;
  if (isTls && (await speaksPlainly(node)))
    return `${message}; it does not speak TLS at this port: use ${scheme.replace('rediss', 'redis')}://, or its tls-port`;
  if (!isTls && (await speaksTls(node)))
    return `${message}; it speaks TLS at this port: use ${scheme.replace('redis', 'rediss')}://`;
  return message;
}

function nodeOf(url: string): RedisNode {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
}

/** Whether a server answers a command of Redis without TLS: it may refuse it. */
function speaksPlainly(node: RedisNode): Promise<boolean> {
  const socket = connect({ ...node, timeout: LOOK_MS }, () => socket.write('PING\r\n'));
  return comesTo(socket, 'data', (data) => /^[+-]/.test(String(data)));
}

/** Whoever it is: nothing is sent to it. */
function speaksTls(node: RedisNode): Promise<boolean> {
  return comesTo(connectTls({ ...node, timeout: LOOK_MS, rejectUnauthorized: false }), 'secureConnect', () => true);
}

/** Whether this event comes, as expected, before a connection fails or is silent; then the connection is closed. */
function comesTo(socket: Socket, event: string, isExpected: (data: unknown) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once(event, (data: unknown) => finish(isExpected(data)));
    for (const end of ['error', 'timeout', 'close']) socket.once(end, () => finish(false));
  });
}
