import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a provider can be in trouble: too many calls, a broken server, no answer at all, or something unreadable. */
export const TROUBLES = ['429', '500', 'hang', 'garbage'] as const;
export type TroubleKind = (typeof TROUBLES)[number];

export type TroubleSwitch = {
  url: string;
  /** Puts a provider, by the first part of the path, into trouble; null ends it. */
  set(provider: string, trouble: TroubleKind | null): void;
  /** Calls of a provider that were passed on, and those that met its trouble. */
  calls(provider: string): { passed: number; troubled: number };
  close(): Promise<void>;
};

/** Stands in front of a server that plays providers, and answers for those that are in trouble. */
export async function startTroubleSwitch(target: () => string): Promise<TroubleSwitch> {
  const troubles = new Map<string, TroubleKind>();
  const counts = new Map<string, { passed: number; troubled: number }>();
  const callsOf = (provider: string) => {
    const count = counts.get(provider) ?? { passed: 0, troubled: 0 };
    counts.set(provider, count);
    return count;
  };
  const server = createServer((request, response) => {
    const [, provider = ''] = (request.url ?? '').split('/');
    const trouble = troubles.get(provider);
    callsOf(provider)[trouble === undefined ? 'passed' : 'troubled'] += 1;
    if (trouble === undefined) pass(target(), request, response);
    else fail(trouble, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (provider, trouble) => void (trouble === null ? troubles.delete(provider) : troubles.set(provider, trouble)),
    calls: (provider) => ({ ...callsOf(provider) }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pass(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  const onward = forward(`${target}${url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function fail(trouble: TroubleKind, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (trouble === 'hang') return;
  if (trouble === 'garbage') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>down</html>');
  else response.writeHead(Number(trouble), { 'content-type': 'text/plain' }).end('trouble');
}
