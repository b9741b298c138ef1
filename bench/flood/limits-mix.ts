import { LIMITS } from '@pts/contract/limits';
import { MAX_MEMBERS } from '../../apps/api/src/http/body/json.ts';
import { freshNumber, JSON_TYPE, LINES_TYPE, post, type Sent, type Target } from './flood-bodies.ts';

/** A parcel of the account that sends. */
export type Known = { id: string; number: string };

const FORTY = 40;
/** Almost as many as a body may have, with what else is in it. */
const MANY = MAX_MEMBERS - 3 * FORTY;
/** Refused before it is parsed. */
const TOO_MANY = 9000;
/** Ten entries of 240 characters. */
const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`key${n}`, 'x'.repeat(240)]));
/** A number with 2.5 KB of optional fields. */
const full = () => ({ tracking_number: freshNumber(), order_id: 'A-1001', title: '蓝色外套', metadata });
const forty = <T>(make: () => T) => Array.from({ length: FORTY }, make);
const fields = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, value]));

/** Bodies of as many fields as a body may have: unknown ones, ones of the wrong type, and ones of the wrong place; and of more. */
const MANY_FIELDS = [
  () => ({ tracking_numbers: forty(freshNumber), ...fields(MANY, 1) }),
  () => forty(() => ({ tracking_number: freshNumber(), ...fields(MANY / FORTY, '') })),
  () => forty(() => ({ tracking_number: freshNumber(), metadata: fields(MANY / FORTY, 1) })),
  () => [{ tracking_number: freshNumber(), metadata: fields(TOO_MANY, 'x') }],
] as const;

const BATCH = '/api/v1/trackings/batch';
const ASYNC = '/api/v1/track/async';
const STREAM = '/api/v1/track/batch-stream';

const many = (path: string) => {
  const batch = post(path, JSON_TYPE, () => JSON.stringify(forty(full)));
  // Every second body is a batch that is stored.
  return MANY_FIELDS.flatMap((body) => [batch, post(path, JSON_TYPE, () => JSON.stringify(body()))]);
};
const get = (path: string) => (): Sent => ({ method: 'GET', path: `/api/v1${path}` });
const thousands = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

/** One account at all of its documented limits at once, with large requests that are valid or nearly so. */
export function limitsMix(known: readonly Known[]): Target[] {
  const [one] = known;
  const ids = known.map(({ id }) => id).join();
  const numbers = known.map(({ number }) => number).join();
  const events = { Accept: 'text/event-stream' };
  const line = () => JSON.stringify(full());
  return [
    { name: 'batch', perSecond: LIMITS['trackings.batch'], requests: many(BATCH) },
    { name: 'async', perSecond: LIMITS['track.async'], requests: many(ASYNC) },
    {
      name: 'batch-stream',
      perSecond: LIMITS['track.batch-stream'],
      requests: [
        post(STREAM, JSON_TYPE, () => JSON.stringify({ tracking_numbers: thousands(10_000, freshNumber) }), events),
        post(STREAM, LINES_TYPE, () => thousands(5000, line).join('\n')),
        // As many objects as JSON can hold.
        post(STREAM, JSON_TYPE, () => JSON.stringify(thousands(1999, () => ({ tracking_number: freshNumber() })))),
        post(STREAM, LINES_TYPE, () => thousands(10_000, freshNumber).join('\n'), events),
      ],
    },
    {
      name: 'create',
      perSecond: LIMITS['trackings.create'],
      requests: [post('/api/v1/trackings/create', JSON_TYPE, line)],
    },
    {
      name: 'detect',
      perSecond: LIMITS.detect,
      requests: [
        post('/api/v1/carrier/detect', JSON_TYPE, () =>
          JSON.stringify({ tracking_number: String(Date.now()).slice(-12).padStart(12, '1') }),
        ),
      ],
    },
    {
      name: 'shipments',
      perSecond: LIMITS.shipments,
      requests: [get('/shipments?limit=200'), get(`/shipments?limit=200&ids=${ids}`)],
    },
    { name: 'get', perSecond: LIMITS['trackings.get'], requests: [get(`/trackings/get?tracking_numbers=${numbers}`)] },
    {
      name: 'one',
      perSecond: LIMITS['trackings.one'],
      requests: [get(`/trackings/${one?.id}`), get(`/trackings/${one?.id}/explain`)],
    },
    {
      name: 'retrack',
      perSecond: LIMITS['trackings.retrack'],
      requests: known.map(({ id }) => post(`/api/v1/trackings/retrack/${id}`, JSON_TYPE, () => '{}')),
    },
    { name: 'events', perSecond: LIMITS.events, requests: [get('/events?limit=200')] },
    { name: 'webhooks', perSecond: LIMITS.webhooks, requests: [get('/webhooks/deliveries'), get('/webhooks')] },
    { name: 'couriers', perSecond: LIMITS.couriers, requests: [get('/couriers/all')] },
    { name: 'account', perSecond: LIMITS.account, requests: [get('/account'), get('/auth/me')] },
  ];
}
