import type { TextName } from '../../journeys/wording.ts';
import { basic } from '../oauth.ts';
import { type FoundNumber, replyAbout } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { element, escaped } from '../xml.ts';
import { inZone } from '../zone.ts';

const BASIC = basic('sandbox-user', 'sandbox-password');

/** `event-identifier` of each kind of scan. */
const CODES: Readonly<Record<TextName, string>> = {
  label: '3000',
  collected: '0101',
  departed: '0100',
  departedUnread: '0100',
  arrived: '0100',
  arrivedInCity: '0100',
  cleared: '0100',
  outForDelivery: '0174',
  atLocker: '1407',
  pickedUp: '1498',
  delivered: '1496',
  held: '0172',
  refused: '1415',
  unreachable: '1417',
  goingBack: '1450',
  returned: '1430',
};

/** The tracking of Canada Post: XML, one number a call, times with the abbreviation of their zone. */
export const canadaPost: Wire = {
  name: 'canada-post',
  limit: { calls: 20, seconds: 60 },
  isKnown: ({ headers }) => headers.authorization === BASIC,
  refused: problem(401, 'E002', 'AAA Authentication Failure'),
  tooMany: problem(500, 'Server', 'Rejected by SLM Monitor'),
  routes: [
    {
      method: 'get',
      path: '/vis/track/pin/:number/detail',
      run: async ({ params }, ask) => {
        const number = String(params.number);
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => ({ xml: detail(found) }),
          notFound: problem(404, '004', 'No Pin History'),
          problem: (status, message) =>
            status === 429
              ? problem(500, 'Server', 'Rejected by SLM Monitor')
              : problem(status, status === 400 ? '8001' : 'Server', status === 400 ? 'PIN is not valid' : message),
        });
      },
    },
  ],
};

function detail({ number, scans }: FoundNumber): string {
  const occurrences = scans.toReversed().map((scan) => {
    const { date, time, offset } = inZone(scan.time, 'America/Toronto');
    const fields = {
      'event-identifier': CODES[scan.text],
      'event-date': date,
      'event-time': time,
      'event-time-zone': offset === '-04:00' ? 'EDT' : 'EST',
      'event-description': scan.description,
      'event-site': scan.place.name,
      'event-province': 'ON',
    };
    return element('occurrence', elements(fields));
  });
  return element('tracking-detail', elements({ pin: number }) + element('significant-events', occurrences.join('')), {
    xmlns: 'http://www.canadapost.ca/ws/track',
  });
}

function elements(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, text]) => element(name, escaped(text)))
    .join('');
}

function problem(status: number, code: string, description: string): Reply {
  const message = element('message', elements({ code, description }));
  return { status, xml: element('messages', message, { xmlns: 'http://www.canadapost.ca/ws/messages' }) };
}
