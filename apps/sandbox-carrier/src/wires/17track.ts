import { createHash } from 'node:crypto';
import { isRecord } from '../carrier.ts';
import type { JourneyScan, Says } from '../journey.ts';
import type { TextName } from '../story.ts';
import { failureOfCall, inZone, type Registry, type Reply, replyToRefusal, type Wire } from './wire.ts';

const KEY = 'sandbox-key';
const ZONE = 'America/Chicago';
const MAX_NUMBERS = 40;

/** `sub_status` of each kind of scan. */
const CODES: Readonly<Record<TextName, string>> = {
  label: 'InfoReceived',
  collected: 'InTransit_PickedUp',
  departed: 'InTransit_Departure',
  departedUnread: 'InTransit_Departure',
  arrived: 'InTransit_Arrival',
  arrivedInCity: 'InTransit_Arrival',
  cleared: 'InTransit_CustomsReleased',
  outForDelivery: 'OutForDelivery_Other',
  atLocker: 'AvailableForPickup_Other',
  pickedUp: 'Delivered_Other',
  delivered: 'Delivered_Other',
  held: 'Exception_Held',
  refused: 'Exception_Rejected',
  unreachable: 'DeliveryFailure_NoBody',
  goingBack: 'Exception_Returning',
  returned: 'Exception_Returned',
};

const ERRORS = {
  invalid: -18010012,
  notRegistered: -18019902,
  registered: -18019901,
  nothingYet: -18019909,
  notStopped: -18019904,
  restarted: -18019905,
  notTracked: -18019906,
};

/**
 * 17TRACK v2.4: a key in a header, up to 40 numbers a call, registered before they are read; callbacks are signed with
 * the key.
 */
export const track17: Wire = {
  name: '17track',
  limit: { calls: 3, seconds: 1 },
  isKnown: ({ headers }) => headers['17token'] === KEY,
  refused: refusal(401, -18010002, 'Invalid security key.'),
  tooMany: refusal(429, 429, 'Too many requests.'),
  routes: [
    {
      method: 'post',
      path: '/register',
      run: ({ body }, _ask, registry) => {
        const items = itemsIn(body);
        if (items === null) return refusal(200, -18010014, 'Up to 40 numbers a call.');
        return sorted(items, ({ number, carrier }) =>
          registry.add(number, carrier) ? { number, carrier: Number(carrier) || 3011, origin: 1 } : ERRORS.registered,
        );
      },
    },
    {
      method: 'post',
      path: '/stoptrack',
      run: ({ body }, _ask, registry) =>
        sortedRegistered(itemsIn(body), registry, (item) =>
          registry.setWatched(item.number, false) ? item : ERRORS.notTracked,
        ),
    },
    {
      method: 'post',
      path: '/retrack',
      run: ({ body }, _ask, registry) =>
        sortedRegistered(itemsIn(body), registry, (item) => {
          if (registry.isWatched(item.number)) return ERRORS.notStopped;
          if (registry.restartsOf(item.number) > 0) return ERRORS.restarted;
          registry.setWatched(item.number, true);
          return item;
        }),
    },
    {
      method: 'post',
      path: '/gettrackinfo',
      run: async ({ body }, ask, registry) => {
        const items = itemsIn(body);
        if (items === null) return refusal(200, -18010014, 'Up to 40 numbers a call.');
        const known = items.filter(({ number }) => registry.carrierOf(number) !== null);
        const says = await ask(known, 'en');
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, (status, message) => refusal(status, -18010003, message));
        return sorted(items, (item) => tracked(item.number, says[known.indexOf(item)], registry));
      },
    },
  ],
  callback({ number, carrier, scans }) {
    const body = JSON.stringify({ event: 'TRACKING_UPDATED', data: tracking(number, carrier, scans) });
    return { headers: { sign: createHash('sha256').update(`${body}/${KEY}`).digest('hex') }, body };
  },
};

type Item = { number: string; carrier: string };

function itemsIn(body: unknown): Item[] | null {
  if (!Array.isArray(body) || body.length > MAX_NUMBERS) return null;
  return body
    .filter(isRecord)
    .map(({ number, carrier }) => ({ number: String(number), carrier: String(carrier ?? '') }));
}

/** The result of each number: its answer, or the code of its error. */
function sorted(items: readonly Item[], answer: (item: Item) => object | number): Reply {
  const answers = items.map((item) => ({ item, answer: answer(item) }));
  const accepted = answers.flatMap((each) => (typeof each.answer === 'object' ? [each.answer] : []));
  const rejected = answers.flatMap(({ item: { number }, answer: code }) =>
    typeof code === 'number' ? [{ number, error: { code, message: `See the code, about ${number}.` } }] : [],
  );
  return { json: { code: 0, data: { accepted, rejected } } };
}

/** Like `sorted`, for numbers that must be registered. */
function sortedRegistered(items: Item[] | null, registry: Registry, answer: (item: Item) => object | number): Reply {
  if (items === null) return refusal(200, -18010014, 'Up to 40 numbers a call.');
  return sorted(items, (item) => (registry.carrierOf(item.number) === null ? ERRORS.notRegistered : answer(item)));
}

function tracked(number: string, says: Says | undefined, registry: Registry): object | number {
  const carrier = registry.carrierOf(number);
  if (carrier === null) return ERRORS.notRegistered;
  if (says?.kind === 'found') return tracking(says.otherNumber ?? number, carrier, says.scans);
  return says?.kind === 'failed' ? ERRORS.invalid : ERRORS.nothingYet;
}

function tracking(number: string, carrier: string, scans: readonly JourneyScan[]) {
  const events = scans.map(toEvent).toReversed();
  const [status = ''] = events[0]?.sub_status.split('_') ?? [];
  const key = Number(carrier) || 3011;
  const latest_status = { status, sub_status: events[0]?.sub_status, sub_status_descr: null };
  const tracking = { providers: [{ provider: { key, name: 'Sandbox' }, latest_sync_status: 'Success', events }] };
  return { number, carrier: key, tag: null, track_info: { latest_status, latest_event: events[0], tracking } };
}

function toEvent({ time, text, description, place }: JourneyScan) {
  const { date, time: clock, offset } = inZone(time, ZONE);
  const sub_status = CODES[text];
  return {
    time_iso: `${date}T${clock}${offset}`,
    time_utc: time.toISOString().replace('.000', ''),
    description,
    location: place.name,
    stage: sub_status.split('_')[0],
    sub_status,
  };
}

function refusal(status: number, code: number, message: string): Reply {
  return { status, json: { code, data: { errors: [{ code, message }] } } };
}
