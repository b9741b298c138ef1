import { columns } from '@pts/core/terminal';
import { isApiError } from '../../errors.ts';
import { command } from '../command.ts';
import { Problem } from '../problem.ts';
import { follow, linesOf, register } from '../tracking.ts';

/** Stories of the sandbox carrier, and what happens in them at its usual speed. */
export const STORIES: Readonly<Record<string, readonly [name: string, about: string]>> = {
  delivered: ['EXPRESS', 'out for delivery after 10 s, delivered after 20 s'],
  ordinary: ['ORDINARY', 'on the road, out for delivery after 32 s, delivered after 45 s'],
  exception: ['EXCEPTION', 'held after 20 s'],
  recovered: ['RECOVERED', 'held after 16 s, on the move again, delivered after 48 s'],
  undeliverable: ['UNDELIVERABLE', 'the recipient cannot be reached after 32 s'],
  returned: ['RETURNED', 'refused after 28 s, returned to the sender after 45 s'],
  refused: ['REFUSED', 'refused after 22 s, delivered after 44 s'],
  pickup: ['PICKUP', 'in a parcel locker after 28 s, picked up after 50 s'],
  withdrawn: ['WITHDRAWN', 'delivered after 22 s; the delivery is withdrawn after 30 s'],
  'late-scan': ['LATESCAN', 'an older scan appears after 38 s, delivered after 45 s'],
  corrected: ['CORRECTED', 'a scan gets another text after 22 s, delivered after 45 s'],
  pieces: ['PIECES', 'two pieces, delivered after 26 s and 44 s'],
  'not-found': ['NOTFOUND', 'the carrier never knows the number'],
};

export const trigger = command({
  name: 'trigger',
  about: 'Registers a parcel of the sandbox carrier that plays a story, for one unit of quota.',
  takes: ['STORY'],
  choices: Object.keys(STORIES),
  options: { follow: { about: 'shows its news as it arrives' } },
  details: columns(Object.entries(STORIES).map(([name, [, about]]) => [`  ${name}`, about])),
  async run(context, { STORY, ...input }) {
    const { client, signal, now, print, note } = context;
    const [name, about] = STORIES[STORY] ?? [STORY, ''];
    const api = client();
    const after = input.follow ? (await api.events.list({ after: 'latest' }, { signal })).next_cursor : null;
    const number = `SBX${name}${now().getTime()}`;
    const parcel = await register(context, api, { number, carrier: 'sandbox' }).catch(explainMissing);
    print(parcel, () => linesOf(parcel));
    note(`What happens: ${about}. You see a step at the next check after it.`);
    if (after !== null) await follow(context, parcel, after);
    else note(`pts track ${number} --follow shows it; pts listen has its events.`);
  },
});

function explainMissing(error: unknown): never {
  if (isApiError(error, 'carrier_undetected', 'unknown_courier', 'invalid_field'))
    throw new Problem(
      'Your key cannot play stories: use a test key (POST /keys with "test": true), or an installation that has the sandbox carrier.',
    );
  throw error;
}
