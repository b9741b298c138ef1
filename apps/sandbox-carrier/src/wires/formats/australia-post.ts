import type { Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { basic } from '../oauth.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const MAX_NUMBERS = 10;
const BASIC = basic('sandbox-key', 'sandbox-password');

/** The state of an article by its newest scan. */
const STATES: Readonly<Record<TextName, string>> = {
  label: 'Created',
  collected: 'In transit',
  departed: 'In transit',
  departedUnread: 'In transit',
  arrived: 'In transit',
  arrivedInCity: 'In transit',
  cleared: 'In transit',
  outForDelivery: 'On Board for Delivery',
  atLocker: 'Awaiting collection',
  pickedUp: 'Delivered',
  delivered: 'Delivered',
  held: 'Held by courier',
  refused: 'Unsuccessful Delivery',
  unreachable: 'Cannot be delivered',
  goingBack: 'In transit',
  returned: 'In transit',
};

/** The tracking of Australia Post: ten numbers a call, texts without codes, errors for each number. */
export const australiaPost: Wire = {
  name: 'australia-post',
  limit: { calls: 10, seconds: 60 },
  isKnown: ({ headers }) => headers.authorization === BASIC && headers['account-number'] === 'sandbox-account',
  refused: problem(401, 'API_002', 'The API key or the account number is invalid.'),
  tooMany: problem(429, '429', 'Too many requests.'),
  routes: [
    {
      method: 'get',
      path: '/shipping/v1/track',
      run: async ({ query }, ask) => {
        const numbers = String(query.tracking_ids ?? '').split(',');
        if (numbers.length > MAX_NUMBERS) return problem(400, '51101', 'More than 10 tracking ids.');
        const says = await ask(
          numbers.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, (status, message) => problem(status, String(status), message));
        return { json: { tracking_results: numbers.map((number, i) => result(number, says[i])) } };
      },
    },
  ],
};

function result(number: string, says: Says | undefined) {
  if (says?.kind === 'not_found') {
    return { tracking_id: number, errors: [{ code: 'ESB-10001', name: 'Invalid tracking ID' }] };
  }
  if (says?.kind !== 'found') {
    return { tracking_id: number, errors: [{ code: 'ESB-10002', name: 'Product is not trackable' }] };
  }
  const id = says.otherNumber ?? number;
  const newest = says.scans.at(-1);
  const events = says.scans.toReversed().map((scan) => {
    const { date, time, offset } = inZone(scan.time, 'Australia/Sydney');
    return { location: scan.place.name, description: scan.description, date: `${date}T${time}${offset}` };
  });
  const status = newest ? STATES[newest.text] : 'Unknown';
  return { tracking_id: id, status, trackable_items: [{ article_id: id, product_type: 'Sandbox', events, status }] };
}

function problem(status: number, code: string, message: string): Reply {
  return { status, json: { errors: [{ code, name: 'ERROR', message }] } };
}
