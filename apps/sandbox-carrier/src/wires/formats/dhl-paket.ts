import type { JourneyScan, Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { basic } from '../oauth.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { attributeIn, element } from '../xml.ts';
import { inZone } from '../zone.ts';

const MAX_NUMBERS = 20;
const BASIC = basic('sandbox-key', 'sandbox-secret');

/** `ice` and `standard-event-code` of each kind of scan. */
const CODES: Readonly<Record<TextName, readonly [ice: string, standard: string]>> = {
  label: ['', 'VA'],
  collected: ['PCKDU', 'AE'],
  departed: ['LDTMV', 'AA'],
  departedUnread: ['LDTMV', 'AA'],
  arrived: ['ULFMV', 'EE'],
  arrivedInCity: ['ULFMV', 'EE'],
  cleared: ['LDTMV', ''],
  outForDelivery: ['SRTED', 'PO'],
  atLocker: ['DLVRD', ''],
  pickedUp: ['DLVRD', 'ZU'],
  delivered: ['DLVRD', 'ZU'],
  held: ['NDELV', ''],
  refused: ['NDELV', ''],
  unreachable: ['NDELV', ''],
  goingBack: ['ULFMV', ''],
  returned: ['DLVRD', 'ZU'],
};
const GOING_BACK: ReadonlySet<TextName> = new Set(['goingBack', 'returned']);

/** Parcel DE Tracking of DHL: a document in the query, twenty numbers a call, all values in attributes. */
export const dhlPaket: Wire = {
  name: 'dhl-paket',
  limit: { calls: 10, seconds: 1 },
  isKnown: ({ headers }) => headers.authorization === BASIC,
  refused: problem(401, '401', 'Unauthorized'),
  tooMany: problem(429, '429', 'Too many requests'),
  routes: [
    {
      method: 'get',
      path: '/parcel/de/tracking/v0/shipments',
      run: async ({ query }, ask) => {
        const xml = String(query.xml ?? '');
        const isUser =
          attributeIn(xml, 'appname') === 'sandbox-user' && attributeIn(xml, 'password') === 'sandbox-password';
        if (!isUser) return problem(200, '5', 'Login failed');
        const numbers = attributeIn(xml, 'piece-code').split(';');
        if (numbers.length > MAX_NUMBERS) return problem(200, '3', 'More than 20 pieces');
        const says = await ask(
          numbers.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, (status, message) => problem(status, String(status), message));
        const pieces = numbers.map((number, i) => piece(number, says[i]));
        return { xml: element('data', pieces.join(''), { name: 'piece-shipment-list', code: '0' }) };
      },
    },
  ],
};

function piece(number: string, says: Says | undefined): string {
  const named = { name: 'piece-shipment' };
  if (says?.kind !== 'found') {
    const [code, text] = says?.kind === 'not_found' ? ['100', 'No data found'] : ['102', 'Invalid piece code'];
    const attributes = { ...named, 'searched-piece-code': number, 'error-status': code, 'piece-status-desc': text };
    return element('data', '', attributes);
  }
  const newest = says.scans.at(-1);
  const isDelivered = newest?.text === 'delivered' || newest?.text === 'pickedUp';
  const events = element('data', says.scans.map(event).join(''), { name: 'piece-event-list' });
  return element('data', events, {
    ...named,
    'error-status': '0',
    'piece-code': says.otherNumber ?? number,
    'delivery-event-flag': isDelivered ? '1' : '0',
    ...(newest && codes(newest)),
  });
}

function event(scan: JourneyScan): string {
  const { date, time } = inZone(scan.time, 'Europe/Berlin');
  return element('data', '', {
    name: 'piece-event',
    'event-timestamp': `${date.split('-').toReversed().join('.')} ${time}`,
    'event-text': scan.description,
    'event-location': scan.place.name,
    'event-country': 'Germany',
    ...codes(scan),
  });
}

function codes({ text }: JourneyScan) {
  const [ice, standard] = CODES[text];
  return {
    ice,
    ric: text === 'atLocker' ? 'PCKST' : 'OTHER',
    'standard-event-code': standard,
    ruecksendung: String(GOING_BACK.has(text)),
  };
}

function problem(status: number, code: string, error: string): Reply {
  return { status, xml: element('data', '', { name: 'piece-shipment-list', code, error }) };
}
