import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { serve } from './http-server.ts';

/** How a provider can be in trouble: too many calls, a broken server, no answer at all, something unreadable, or 200 MiB. */
export type TroubleKind = '429' | '500' | 'hang' | 'garbage' | 'huge';

export type TroubleSwitch = {
  url: string;
  /** Puts a provider, by the first part of the path, into trouble; null ends it. */
  set(provider: string, trouble: TroubleKind | null): void;
  /** Calls of a provider that were passed on, and those that met its trouble. */
  calls(provider: string): { passed: number; troubled: number };
  close(): Promise<void>;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;
const HUGE_BYTES = 200 * MIB;

/**
 * Stands in front of a server that plays providers, and answers for those that are in trouble.
 * @param onPassed is called with each provider whose call got the whole answer of that server.
 */
export async function startTroubleSwitch(
  target: () => string,
  onPassed: (provider: string) => void = () => {},
): Promise<TroubleSwitch> {
  const troubles = new Map<string, TroubleKind>();
  const counts = new Map<string, { passed: number; troubled: number }>();
  const callsOf = (provider: string) => {
    const count = counts.get(provider) ?? { passed: 0, troubled: 0 };
    counts.set(provider, count);
    return count;
  };
  const { url, close } = await serve((request, response) => {
    const [, provider = ''] = (request.url ?? '').split('/');
    const trouble = troubles.get(provider);
    callsOf(provider)[trouble === undefined ? 'passed' : 'troubled'] += 1;
    if (trouble !== undefined) return fail(trouble, request, response);
    response.once('finish', () => onPassed(provider));
    pass(target(), request, response);
  });
  return {
    url,
    set: (provider, trouble) => void (trouble === null ? troubles.delete(provider) : troubles.set(provider, trouble)),
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

function fail(trouble: TroubleKind, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (trouble === 'hang') return;
  if (trouble === 'garbage') response.writeHead(200, JSON_TYPE).end('{"results":[{"num\u0000 <html>');
  else if (trouble === 'huge') sendHuge(response).catch(() => response.destroy());
  else response.writeHead(Number(trouble), { 'content-type': 'text/plain' }).end('trouble');
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
