import type { JourneyScan } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { type FoundNumber, replyAbout } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { element, escaped, textIn } from '../xml.ts';
import { inZone } from '../zone.ts';

const TOKEN = 'sandbox-token-of-the-day';

const STATES: Readonly<Record<TextName, string>> = {
  label: 'PreAdvice',
  collected: 'PickedUp',
  departed: 'BetweenDepots',
  departedUnread: 'BetweenDepots',
  arrived: 'Depot',
  arrivedInCity: 'Depot',
  cleared: 'ReturningFromDelivery',
  outForDelivery: 'Courier',
  atLocker: 'ParcelShop',
  pickedUp: 'Delivered',
  delivered: 'Delivered',
  held: 'DeliveryFailure',
  refused: 'DeliveryFailure',
  unreachable: 'DeliveryFailure',
  goingBack: 'DeliveryFailure',
  returned: 'Delivered',
};

/** DPD's web services: SOAP, a login that gives a token until the night, one number a call, American dates. */
export const dpd: Wire = {
  name: 'dpd',
  limit: { calls: 5, seconds: 1 },
  isKnown: ({ body }) => textIn(String(body), 'authToken') === TOKEN || isLogin(String(body)),
  refused: fault('DELICOM_ERR_AUTHENTICATION', 'The authentication is not valid.'),
  tooMany: { status: 429, html: 'Too many requests' },
  routes: [
    {
      method: 'post',
      path: '/soap/services/LoginService/V2_1',
      body: 'text',
      run: () => ({ xml: envelope(element('getAuthResponse', element('return', token()))) }),
    },
    {
      method: 'post',
      path: '/soap/services/ParcelLifeCycleService/V2_0',
      body: 'text',
      run: async ({ body }, ask) => {
        const number = textIn(String(body), 'parcelLabelNumber');
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => ({ xml: tracking(found) }),
          notFound: { xml: tracking({ number, scans: [] }) },
          problem: (status, message) =>
            status === 429 ? { status, html: message } : fault(status === 400 ? 'WRONG_FORMAT' : 'TECHNICAL', message),
        });
      },
    },
  ],
};

function isLogin(body: string): boolean {
  return textIn(body, 'delisId') === 'sandbox-user' && textIn(body, 'password') === 'sandbox-password';
}

function token(): string {
  const { date } = inZone(new Date(Date.now() + 86_400_000), 'Europe/Amsterdam');
  const fields = { delisId: 'sandbox-user', authToken: TOKEN, authTokenExpires: `${date}T03:00:00.00` };
  return Object.entries(fields)
    .map(([name, text]) => element(name, text))
    .join('');
}

function tracking({ number, scans }: FoundNumber): string {
  const info = element('shipmentInfo', element('parcelLabelNumber', escaped(number)));
  const newest = scans.at(-1);
  const steps = scans.map((scan) => step(scan, scan === newest)).join('');
  const ahead = element('statusInfo', element('status', 'Delivered') + element('statusHasBeenReached', 'false'));
  const isOver = newest?.status === 'delivered';
  const result = element('trackingresult', info + steps + (isOver ? '' : ahead));
  return envelope(element('getTrackingDataResponse', result));
}

function step(scan: JourneyScan, isCurrent: boolean): string {
  const { date, time } = inZone(scan.time, 'Europe/Amsterdam');
  const content = (text: string) => element('content', escaped(text));
  return element(
    'statusInfo',
    element('status', STATES[scan.text]) +
      element('label', content(STATES[scan.text])) +
      element('description', element('content', content(scan.description))) +
      element('statusHasBeenReached', 'true') +
      element('isCurrentStatus', String(isCurrent)) +
      element('location', content(`${scan.place.name} (NL)`)) +
      element('date', content(american(date, time))),
  );
}

/** `8/19/2031 5:11:29 AM`, as the service writes it in English. */
function american(date: string, time: string): string {
  const [year, month, day] = date.split('-').map(Number);
  const [hour = '0', ...rest] = time.split(':');
  const half = Number(hour) < 12 ? 'AM' : 'PM';
  return `${month}/${day}/${year} ${[Number(hour) % 12 || 12, ...rest].join(':')} ${half}`;
}

function fault(code: string, text: string): Reply {
  const detail = element(
    'detail',
    element('authenticationFault', element('errorCode', code) + element('errorMessage', escaped(text))),
  );
  const content = element('faultcode', 'soap:Server') + element('faultstring', 'Fault occured') + detail;
  return { status: 500, xml: envelope(element('soap:Fault', content)) };
}

function envelope(body: string): string {
  const namespace = { 'xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/' };
  return element('soap:Envelope', element('soap:Body', body), namespace);
}
