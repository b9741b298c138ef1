import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { serve } from './http-server.ts';

/** The kinds of outages of a provider: too many calls, a broken server, no answer at all, something unreadable, or 200 MiB. */
export type OutageKind = '429' | '500' | 'hang' | 'garbage' | 'huge';

export type OutageSwitch = {
  url: string;
  /** Puts a provider, by the first part of the path, into outage; null ends it. */
  set(provider: string, outage: OutageKind | null): void;
  /** Calls of a provider that were passed on, and those that met its outage. */
  calls(provider: string): { passed: number; failed: number };
  close(): Promise<void>;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;
const HUGE_BYTES = 200 * MIB;

/**
 * Stands in front of a server that plays providers, and answers for those with an outage.
 * @param onPassed is called with each provider whose call got the whole answer of that server.
 */
export async function startOutageSwitch(
  target: () => string,
  onPassed: (provider: string) => void = () => {},
): Promise<OutageSwitch> {
  const outages = new Map<string, OutageKind>();
  const counts = new Map<string, { passed: number; failed: number }>();
  const callsOf = (provider: string) => {
    const count = counts.get(provider) ?? { passed: 0, failed: 0 };
    counts.set(provider, count);
    return count;
  };
  const { url, close } = await serve((request, response) => {
    const [, provider = ''] = (request.url ?? '').split('/');
    const outage = outages.get(provider);
    callsOf(provider)[outage === undefined ? 'passed' : 'failed'] += 1;
    if (outage !== undefined) return fail(outage, request, response);
    response.once('finish', () => onPassed(provider));
    pass(target(), request, response);
  });
  return {
    url,
    set: (provider, outage) => void (outage === null ? outages.delete(provider) : outages.set(provider, outage)),
    calls: (provider) => ({ ...callsOf(provider) }),
    close,
  };
}

function pass(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  const onward = forward(`${target}${url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => {}); // if one side closes, so does the other
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function fail(outage: OutageKind, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (outage === 'hang') return;
  if (outage === 'garbage') response.writeHead(200, JSON_TYPE).end('{"results":[{"num\u0000 <html>');
  else if (outage === 'huge') sendHuge(response).catch(() => response.destroy());
  else response.writeHead(Number(outage), { 'content-type': 'text/plain' }).end('outage');
}

/** Valid JSON, as far as anybody reads. */
async function sendHuge(response: ServerResponse): Promise<void> {
  response.writeHead(200, JSON_TYPE).write('{"results":["');
  const part = Buffer.alloc(MIB, 'x');
  const left = once(response, 'close');
  left.catch(() => {}); // it is asked for only while the caller reads slowly
  for (let sent = 0; sent < HUGE_BYTES && !response.destroyed; sent += MIB)
    if (!response.write(part)) await Promise.race([once(response, 'drain'), left]);
  response.end('"]}');
}
