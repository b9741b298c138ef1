import { columns } from '@pts/core/terminal';
import type { Client } from '../client.ts';
import { isNotRegistered } from '../errors.ts';
import type { EmittedEvent, Tracking, TrackingEvent } from '../types.ts';
import type { Context } from './command.ts';

type Wanted = { number: string; carrier: string | undefined };

/** The registered parcels with a number; several if it is registered with several carriers. */
export async function found(client: Client, { number, carrier }: Wanted, signal: AbortSignal): Promise<Tracking[]> {
  try {
    const { success } = await client.trackings.get(number, { signal });
    return success.filter((one) => carrier === undefined || one.carrier === carrier);
  } catch (error) {
    if (isNotRegistered(error)) return [];
    throw error;
  }
}

export async function register(
  { signal, note }: Pick<Context, 'signal' | 'note'>,
  client: Client,
  { number, carrier }: Wanted,
): Promise<Tracking> {
  const named = carrier === undefined ? {} : { courier_code: carrier };
  const { id, carrier: chosen } = await client.trackings.create({ tracking_number: number, ...named }, { signal });
  note(`Registered with ${chosen}.`);
  return await client.trackings.one(id, { signal });
}

/** A parcel and its history, oldest first. */
export function linesOf(parcel: Tracking): string[] {
  const { tracking_number, carrier, status, sub_status, notice, events, estimated_delivery, next_check_at } = parcel;
  return [
    `${tracking_number}  ${carrier}  ${status} (${sub_status})`,
    ...(notice === undefined ? [] : [notice]),
    ...(estimated_delivery === undefined ? [] : [`Expected ${estimated_delivery.from} to ${estimated_delivery.to}`]),
    ...columns(events.map(cellsOf)),
    ...(events.length === 0 && next_check_at !== null ? [noNews(parcel)] : []),
    `id ${parcel.id}`,
  ];
}

/** The times of the check that runs: once it is answered, the next one may be earlier. */
function noNews({ last_checked_at, next_check_at }: Tracking): string {
  if (last_checked_at === null) return 'No news yet; the carrier has not been queried yet.';
  return `No news yet; the carrier was queried at ${last_checked_at}, and is queried again by ${next_check_at}.`;
}

/** Prints each event of a parcel as it is emitted, until it has arrived. */
export async function follow(context: Context, parcel: Tracking, after: string): Promise<void> {
  const { client, signal, print, note, isJson } = context;
  if (hasEnded(parcel)) return;
  if (parcel.watch.mode === 'stopped')
    return note(`Polling has stopped, so no news is expected. POST /api/v1/trackings/retrack/${parcel.id} resumes it.`);
  note('Waiting for news; Ctrl-C ends.');
  const seen = new Set(parcel.events.map(keyOf));
  const events = client({ isPatient: true }).events.stream({ after }, { signal, maxRetries: Number.POSITIVE_INFINITY });
  for await (const event of events) {
    if (event.data.id !== parcel.id) continue;
    const news = event.data.events.filter((one) => !seen.has(keyOf(one)));
    for (const one of news) seen.add(keyOf(one));
    if (isJson || news.length > 0 || event.event !== 'tracking_update') print(event, () => newsOf(event, news));
    if (hasEnded(event.data)) return;
  }
}

function newsOf({ event, data }: EmittedEvent, news: readonly TrackingEvent[]): string[] {
  const state = `${data.status} (${data.sub_status})`;
  return news.length > 0 ? columns(news.map((one) => [...cellsOf(one), state])) : [`${event}  ${state}`];
}

function cellsOf({ time, location, description }: TrackingEvent): string[] {
  return [time, location, description];
}

const keyOf = (event: TrackingEvent) => cellsOf(event).join('\n');

function hasEnded({ status, sub_status }: Pick<EmittedEvent['data'], 'status' | 'sub_status'>): boolean {
  return status === '已签收' || sub_status === 'returned';
}
