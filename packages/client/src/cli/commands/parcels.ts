import { columns } from '@pts/core/terminal';
import type { Client } from '../../client.ts';
import { isApiError, isNotRegistered } from '../../errors.ts';
import type { EmittedEvent, Tracking, TrackingEvent } from '../../types.ts';
import { type Context, command } from '../command.ts';
import { EXIT } from '../errors.ts';
import { CommandError, UsageError } from '../kit.ts';

export const track = command({
  name: 'track',
  about: 'Shows a parcel. A new number is registered first, for one unit of quota.',
  takes: ['number'],
  options: {
    follow: { about: 'keep printing updates until the parcel has arrived' },
    carrier: { value: 'CODE', about: 'the carrier, if it cannot be detected or is ambiguous' },
    'no-register': { about: 'do not register a new number; exit with code 5 instead' },
  },
  async run(context, { number, carrier, ...input }) {
    const { client, signal, print } = context;
    if (number.includes(',')) throw new UsageError(`NUMBER must be one tracking number, not "${number}".`);
    const api = client();
    // Before the parcel is read, so that nothing is lost in between.
    const after = input.follow ? (await api.events.list({ after: 'latest' }, { signal })).next_cursor : null;
    let parcels = await found(api, { number, carrier }, signal);
    if (parcels.length === 0) {
      if (input['no-register'])
        throw new CommandError(`${number} is not registered under your account.`, EXIT.notFound);
      parcels = [await register(context, api, { number, carrier })];
    }
    const [parcel] = parcels;
    for (const one of parcels) print(one, () => linesOf(one));
    if (after === null || parcel === undefined) return;
    if (parcels.length > 1)
      throw new CommandError('The number is registered with several carriers. Choose one with --carrier.', EXIT.usage);
    await follow(context, parcel, after);
  },
});

/** Stories of the sandbox carrier, and what happens in them at its usual speed. */
export const STORIES: Readonly<Record<string, readonly [name: string, about: string]>> = {
  delivered: ['EXPRESS', 'out for delivery after 10 s, delivered after 20 s'],
  ordinary: ['ORDINARY', 'in transit, out for delivery after 32 s, delivered after 45 s'],
  exception: ['EXCEPTION', 'held after 20 s'],
  recovered: ['RECOVERED', 'held after 16 s, then moving again, delivered after 48 s'],
  undeliverable: ['UNDELIVERABLE', 'the recipient cannot be reached after 32 s'],
  returned: ['RETURNED', 'refused after 28 s, returned to the sender after 45 s'],
  refused: ['REFUSED', 'refused after 22 s, delivered after 44 s'],
  pickup: ['PICKUP', 'in a parcel locker after 28 s, picked up after 50 s'],
  withdrawn: ['WITHDRAWN', 'delivered after 22 s, delivery withdrawn after 30 s'],
  'late-scan': ['LATESCAN', 'an earlier scan is added after 38 s, delivered after 45 s'],
  corrected: ['CORRECTED', 'the text of a scan changes after 22 s, delivered after 45 s'],
  pieces: ['PIECES', 'two pieces, delivered after 26 s and 44 s'],
  'not-found': ['NOTFOUND', 'the carrier never finds the number'],
};

export const trigger = command({
  name: 'trigger',
  about: 'Registers a sandbox parcel that follows a scripted story, for one unit of quota.',
  takes: ['story'],
  choices: Object.keys(STORIES),
  options: { follow: { about: 'keep printing updates until the parcel has arrived' } },
  details: columns(Object.entries(STORIES).map(([name, [, about]]) => [`  ${name}`, about])),
  async run(context, { story, ...input }) {
    const { client, signal, now, print, note } = context;
    const [name, about] = STORIES[story] ?? [story, ''];
    const api = client();
    const after = input.follow ? (await api.events.list({ after: 'latest' }, { signal })).next_cursor : null;
    const number = `SBX${name}${now().getTime()}`;
    const parcel = await register(context, api, { number, carrier: 'sandbox' }).catch(explainMissing);
    print(parcel, () => linesOf(parcel));
    note(`The story: ${about}. Each step shows up at the next check.`);
    if (after !== null) await follow(context, parcel, after);
    else note(`To follow it, run \`pts track ${number} --follow\`. To see its events, run \`pts listen\`.`);
  },
});

function explainMissing(error: unknown): never {
  if (isApiError(error, 'carrier_undetected', 'unknown_courier', 'invalid_field'))
    throw new CommandError(
      'Your key cannot use the sandbox carrier. Use a test key (POST /keys with "test": true), or an installation that has the sandbox carrier.',
    );
  throw error;
}

type Wanted = { number: string; carrier: string | undefined };

/** The registered parcels with a number; several if it is registered with several carriers. */
async function found(client: Client, { number, carrier }: Wanted, signal: AbortSignal): Promise<Tracking[]> {
  try {
    const { success } = await client.trackings.get(number, { signal });
    return success.filter((one) => carrier === undefined || one.carrier === carrier);
  } catch (error) {
    if (isNotRegistered(error)) return [];
    throw error;
  }
}

async function register(
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
function linesOf(parcel: Tracking): string[] {
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
  if (last_checked_at === null) return 'No updates yet. The carrier has not been asked.';
  return `No updates yet. Last checked at ${last_checked_at}, next check by ${next_check_at}.`;
}

/** Prints each event of a parcel as it is emitted, until it has arrived. */
async function follow(context: Context, parcel: Tracking, after: string): Promise<void> {
  const { client, signal, print, note, isJson } = context;
  if (hasEnded(parcel)) return;
  if (parcel.watch.mode === 'stopped')
    return note(
      `Polling has stopped, so no updates are expected. To resume it, send POST /api/v1/trackings/retrack/${parcel.id}.`,
    );
  note('Waiting for updates. Press Ctrl-C to stop.');
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
