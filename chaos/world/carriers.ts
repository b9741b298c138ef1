import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Timeline } from '../timeline.ts';

export const CARRIERS = ['sandbox', 'kuaidi100'] as const;
export type Carrier = (typeof CARRIERS)[number];
/** How a carrier responds to calls. */
export type CarrierManner = 'answer' | 'error' | 'hang' | 'garbage' | 'huge';

/** A proxy between the services and the sandbox carrier, with an address for each of its wires. */
export type WorldCarriers = {
  urls: Record<Carrier, string>;
  set(carrier: Carrier, manner: CarrierManner): void;
  /** The numbers that were queried and answered. */
  asked(): number;
  close(): Promise<void>;
};

const MIB = 1024 * 1024;
const HUGE_BYTES = 200 * MIB;

export async function startWorldCarriers(sandboxUrl: string, timeline: Timeline): Promise<WorldCarriers> {
  const manners = new Map<Carrier, CarrierManner>();
  let asked = 0;
  const servers = await Promise.all(
    CARRIERS.map(async (carrier) => {
      const server = createServer(async (request, response) => {
        try {
          const manner = manners.get(carrier) ?? 'answer';
          if (manner !== 'answer') return await disturb(response, manner);
          await forward(request, response, sandboxUrl);
          asked += 1;
          timeline.poll(performance.now(), carrier);
        } catch {
          response.destroy(); // one of the two sides closed the connection
        }
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return { carrier, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    }),
  );
  const urlOf = (wanted: Carrier) => servers.find(({ carrier }) => carrier === wanted)?.url ?? '';
  return {
    urls: { sandbox: urlOf('sandbox'), kuaidi100: urlOf('kuaidi100') },
    set: (carrier, manner) => void manners.set(carrier, manner),
    asked: () => asked,
    close: async () => {
      for (const { server } of servers) server.closeAllConnections();
      await Promise.all(servers.map(({ server }) => new Promise((closed) => server.close(closed))));
    },
  };
}

async function forward(request: IncomingMessage, response: ServerResponse, sandboxUrl: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = await fetch(`${sandboxUrl}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { 'Content-Type': request.headers['content-type'] ?? '' },
    body: Buffer.concat(chunks),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' }).end(body);
}

async function disturb(response: ServerResponse, manner: Exclude<CarrierManner, 'answer'>): Promise<void> {
  switch (manner) {
    case 'hang':
      return;
    case 'error':
      return void response.writeHead(500).end('Internal Server Error');
    case 'garbage':
      return void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"results":[{"num\u0000 <html>');
    case 'huge':
      return sendHuge(response);
    default:
      manner satisfies never;
  }
}

/** Valid JSON, as far as anyone reads it. */
async function sendHuge(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"results":["');
  const part = Buffer.alloc(MIB, 'x');
  const left = once(response, 'close');
  left.catch(() => {}); // more is requested only while the caller reads slowly
  for (let sent = 0; sent < HUGE_BYTES && !response.destroyed; sent += MIB)
    if (!response.write(part)) await Promise.race([once(response, 'drain'), left]);
  response.end('"]}');
}

/** What a carrier reports about a number now, queried directly over its wire. @returns `<time> <text>` of each scan. */
export async function scansOf(sandboxUrl: string, carrier: Carrier, number: string): Promise<string[]> {
  return carrier === 'sandbox' ? scansOfSandbox(sandboxUrl, number) : scansOfKuaidi100(sandboxUrl, number);
}

async function scansOfSandbox(sandboxUrl: string, number: string): Promise<string[]> {
  const response = await fetch(`${sandboxUrl}/track`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ numbers: [{ number }] }),
  });
  const { results } = (await response.json()) as { results: { scans?: { time: string; description: string }[] }[] };
  return (results[0]?.scans ?? []).map(({ time, description }) => `${time} ${description}`);
}

/** Its account at the sandbox, whose calls are signed; its times are China's. */
export const KUAIDI100 = { customer: 'sandbox-customer', key: 'sandbox-key', company: 'yuantong' };

async function scansOfKuaidi100(sandboxUrl: string, number: string): Promise<string[]> {
  const { customer, key, company } = KUAIDI100;
  const param = JSON.stringify({ com: company, num: number });
  const sign = createHash('md5').update(`${param}${key}${customer}`).digest('hex').toUpperCase();
  const body = new URLSearchParams({ customer, sign, param });
  const response = await fetch(`${sandboxUrl}/kuaidi100/poll/query.do`, { method: 'POST', body });
  const { data = [] } = (await response.json()) as { data?: { ftime: string; context: string }[] };
  return data.map(({ ftime, context }) => `${utcOf(ftime)} ${context}`);
}

function utcOf(chinaTime: string): string {
  return new Date(`${chinaTime.replace(' ', 'T')}+08:00`).toISOString().replace('.000Z', 'Z');
}
