import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { toUtcSeconds } from '@pts/core/time';
import type { Scan } from '@pts/core/tracking/scan';
import { lotOf } from '@pts/sandbox-carrier/journeys/seeded';
import { listen } from '@pts/testing/http-server';
import { seedLot } from '../seed/lots.ts';

/** One scan in the sandbox's wire format. */
type WireScan = Pick<Scan, 'time' | 'location' | 'description' | 'status'>;
/** What a carrier reports about a seeded number beyond its history. */
export type More = (number: string) => readonly WireScan[];

export type Carrier = { url: string; close(): Promise<void> };

const ROLE = 'bench-carrier';

/** A carrier that answers at once over HTTP, as the sandbox does, with the histories of seeded parcels. */
export function startCarrier(more: More): Promise<Carrier> {
  return listen(carrierServer(more));
}

/**
 * The same in a separate thread, so that it does not count as the poller's work.
 * @param oneIn one parcel in this many has a new scan; 0: none.
 */
export async function startCarrierThread(oneIn: number): Promise<Carrier> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { role: ROLE, oneIn } });
  const [url] = (await once(worker, 'message')) as [string];
  return { url, close: async () => void (await worker.terminate()) };
}

/** The thread's program; the bundle is one file, so it starts in the same one as the benchmarks. */
export function runCarrier(): boolean {
  if (isMainThread || workerData?.role !== ROLE) return false;
  const { oneIn } = workerData as { oneIn: number };
  const news = [scanNow(new Date(), 'Out of the ordinary')];
  const server = carrierServer((number) => (oneIn > 0 && Number(number.slice(-9)) % oneIn === 0 ? news : []));
  void listen(server).then(({ url }) => parentPort?.postMessage(url));
  return true;
}

/** A scan that is made now. */
export function scanNow(at: Date, description: string): WireScan {
  return { time: toUtcSeconds(at), location: 'Fennbrook', description, status: 'in_transit' };
}

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
