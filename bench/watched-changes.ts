import { createServer, type Server } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { toUtcSeconds } from '@pts/core/time';
import type { Scan } from '@pts/core/tracking/scan';
import { lotOf } from '@pts/sandbox-carrier/stories';
import { listen, serve } from '@pts/testing/http-server';
import { seedLot } from './seed/seed.ts';

type Change = { number: string; visibleMs: number; answeredMs: number; pushedMs: number };

/**
 * A carrier whose parcels change on demand, and the receiver of their pushes. Both times are measured with one clock.
 */
export type WatchedChanges = {
  carrierUrl: string;
  receiverUrl: string;
  /** Makes a new scan of the number visible. */
  change(number: string): void;
  /** When the first push about a number arrived; undefined: not yet. */
  firstPushMs(number: string): number | undefined;
  /** The changes made since the last call, once all of them have been pushed. */
  take(): Change[];
  pending(): number;
  close(): Promise<void>;
};

const CHANGE = /"change (\d+)"/g;
const NUMBER = /"tracking_number":"([A-Z0-9]+)"/;

export async function watchChanges(): Promise<WatchedChanges> {
  const changes: Change[] = [];
  const byNumber = new Map<string, { id: number; scan: ReturnType<typeof scanNow> }[]>();
  const firstPushes = new Map<string, number>();
  let taken = 0;
  const server = carrierServer((number) => {
    const news = byNumber.get(number) ?? [];
    for (const { id } of news) {
      const change = changes[id];
      // The answer leaves within a fraction of a millisecond.
      if (change && Number.isNaN(change.answeredMs)) change.answeredMs = performance.now();
    }
    return news.map(({ scan }) => scan);
  });
  const carrier = await listen(server);
  const receive = (body: string) => {
    const at = performance.now();
    const number = NUMBER.exec(body)?.[1] ?? '';
    if (!firstPushes.has(number)) firstPushes.set(number, at);
    for (const [, id] of body.matchAll(CHANGE)) {
      const change = changes[Number(id)];
      if (change && Number.isNaN(change.pushedMs)) change.pushedMs = at;
    }
  };
  const receiver = await serve(async (request, response) => {
    receive(await text(request));
    response.end('ok');
  });
  const isPending = ({ pushedMs }: Change) => Number.isNaN(pushedMs);
  return {
    carrierUrl: carrier.url,
    receiverUrl: `${receiver.url}/hook`,
    change(number) {
      const id = changes.length;
      changes.push({ number, visibleMs: performance.now(), answeredMs: Number.NaN, pushedMs: Number.NaN });
      const scan = scanNow(new Date(), `change ${id}`);
      byNumber.set(number, [...(byNumber.get(number) ?? []), { id, scan }]);
    },
    firstPushMs: (number) => firstPushes.get(number),
    pending: () => changes.slice(taken).filter(isPending).length,
    take() {
      const made = changes.slice(taken);
      taken = changes.length;
      return made;
    },
    async close() {
      await carrier.close();
      await receiver.close();
    },
  };
}

/** One scan in the sandbox's wire format. */
type WireScan = Pick<Scan, 'time' | 'location' | 'description' | 'status'>;
/** Scans that a carrier reports about a seeded number beyond its history. */
type More = (number: string) => readonly WireScan[];

/** A scan that is made now. */
function scanNow(at: Date, description: string): WireScan {
  return { time: toUtcSeconds(at), location: 'Fennbrook', description, status: 'in_transit' };
}

/** A carrier that answers at once over HTTP, as the sandbox does, with the histories of seeded parcels. */
function carrierServer(more: More): Server {
  const histories = new Map<string, string>();
  const historyOf = (number: string): string => {
    const lot = lotOf(number);
    if (!lot) return '';
    const known = histories.get(lot.number);
    if (known !== undefined) return known;
    const { scans } = seedLot(lot, new Date());
    const wire = scans.map(({ time, location, description, status }) => ({ time, location, description, status }));
    const text = JSON.stringify(wire).slice(1, -1);
    histories.set(lot.number, text);
    return text;
  };
  const server = createServer(async (request, response) => {
    const { numbers } = (await json(request)) as { numbers: { number: string }[] };
    const results = numbers.map(({ number }) => {
      const news = more(number).map((scan) => JSON.stringify(scan));
      const scans = [historyOf(number), ...news].filter((text) => text !== '').join(',');
      return `{"number":"${number}","found":true,"scans":[${scans}]}`;
    });
    response.setHeader('Content-Type', 'application/json').end(`{"results":[${results.join(',')}]}`);
  });
  server.keepAliveTimeout = 65_000;
  return server;
}
