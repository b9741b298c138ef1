import { text } from 'node:stream/consumers';
import { serve } from '@pts/testing/http-server';
import { type Carrier, scanNow, startCarrier } from '../parts/carrier.ts';

type Change = { number: string; visibleMs: number; answeredMs: number; pushedMs: number };

/** A carrier whose parcels change on demand, and the receiver of their pushes. Both times are measured with one clock. */
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
  const carrier: Carrier = await startCarrier((number) => {
    const news = byNumber.get(number) ?? [];
    for (const { id } of news) {
      const change = changes[id];
      // The answer leaves within a fraction of a millisecond.
      if (change && Number.isNaN(change.answeredMs)) change.answeredMs = performance.now();
    }
    return news.map(({ scan }) => scan);
  });
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
