import type { HttpOutcome } from '../http/http.ts';
import { response } from './parsed.ts';

/** What a code says, at its coarsest. */
export type Kind = 'announced' | 'moving' | 'returning' | 'trouble' | 'delivered';
/** A scan: its text, and the code that it comes with. */
export type WrittenScan = { text: string; kind: Kind };
export type Parcel = { number: string; scans: readonly WrittenScan[]; state?: Kind | undefined };
/** A scan with a provider's own code, '' for none; for UPS the type and the code, `I OT`. */
export type CodedScan = { text: string; code: string };

/**
 * How a provider writes a scan (`code`, ordinal of the scan, text) and an answer with scans (oldest first) and a state.
 */
type Wire = {
  codes: Readonly<Record<Kind, string>>;
  /** The codes of the parcel's state, if they differ; absent: the provider reports no state. */
  states?: Readonly<Record<Kind, string>>;
  scan(code: string, day: string, text: string): unknown;
  answer(number: string, scans: readonly unknown[], state: string): unknown;
};

const codes = (announced: string, moving: string, returning: string, trouble: string, delivered: string) => ({
  announced,
  moving,
  returning,
  trouble,
  delivered,
});
const attributes = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');
const elements = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('');
const germanDate = (day: string) => `${day.split('-').toReversed().join('.')} 10:00`;

/** The providers' own formats, as short as they can be. */
const WIRES: Readonly<Record<string, Wire>> = {
  ups: {
    codes: codes('M', 'I', 'RS', 'X', 'D'),
    states: codes('M', 'I', 'RS', 'X', 'D'),
    scan: (typeAndCode, day, description) => {
      const [type, code] = typeAndCode.split(' ');
      const date = day.replaceAll('-', '');
      return { date, time: '100000', gmtDate: date, gmtTime: '100000', status: { type, code, description } };
    },
    answer: (trackingNumber, scans, typeAndCode) => {
      const [type] = typeAndCode.split(' ');
      const ofPackage = { trackingNumber, currentStatus: { type }, activity: scans.toReversed() };
      return { trackResponse: { shipment: [{ inquiryNumber: trackingNumber, package: [ofPackage] }] } };
    },
  },
  fedex: {
    codes: codes('OC', 'IT', 'RS', 'SE', 'DL'),
    states: codes('OC', 'IT', 'RS', 'SE', 'DL'),
    scan: (eventType, day, eventDescription) => ({ date: `${day}T10:00:00Z`, eventType, eventDescription }),
    answer: (trackingNumber, scans, code) => ({
      output: {
        completeTrackResults: [
          { trackingNumber, trackResults: [{ latestStatusDetail: { code }, scanEvents: scans.toReversed() }] },
        ],
      },
    }),
  },
  usps: {
    codes: codes('MA', '10', '09', '51', '01'),
    scan: (eventCode, day, eventType) => ({ eventCode, eventType, GMTTimestamp: `${day}T10:00:00Z` }),
    answer: (trackingNumber, scans) => [{ trackingNumber, trackingEvents: scans.toReversed() }],
  },
  'dhl-paket': {
    codes: codes('PARCV', 'ULFMV', 'RETRN', 'NDELV', 'DLVRD'),
    states: codes('PARCV', 'ULFMV', 'RETRN', 'NDELV', 'DLVRD'),
    scan: (ice, day, text) =>
      `<data${attributes({ name: 'piece-event', 'event-timestamp': germanDate(day), 'event-text': text, ice })}/>`,
    answer: (number, scans, ice) => {
      const own = { 'piece-code': number, 'delivery-event-flag': ice === 'DLVRD' ? '1' : '0', ice };
      return `<data><data${attributes({ name: 'piece-shipment', ...own })}>${scans.join('')}</data></data>`;
    },
  },
  'dhl-unified': {
    codes: codes('pre-transit', 'transit', 'transit', 'failure', 'delivered'),
    // The state counts where the newest event has no code.
    scan: (statusCode, day, description) => ({ statusCode, timestamp: `${day}T10:00:00Z`, description }),
    answer: (id, scans) => ({ shipments: [{ id, events: scans.toReversed() }] }),
  },
  'canada-post': {
    codes: codes('3000', '100', '1450', '154', '1408'),
    scan: (id, day, text) =>
      `<occurrence>${elements({ 'event-identifier': id, 'event-date': day, 'event-time': '10:00:00', 'event-time-zone': 'UTC', 'event-description': text })}</occurrence>`,
    answer: (pin, scans) =>
      `<tracking-detail><pin>${pin}</pin><significant-events>${scans.toReversed().join('')}</significant-events></tracking-detail>`,
  },
  'australia-post': {
    codes: codes('', '', '', '', ''),
    states: codes('Created', 'In transit', 'In transit', 'Held by courier', 'Delivered'),
    scan: (_code, day, description) => ({ date: `${day}T10:00:00Z`, description, location: '' }),
    answer: (tracking_id, scans, status) => ({
      tracking_results: [{ tracking_id, trackable_items: [{ status, events: scans.toReversed() }] }],
    }),
  },
  'la-poste': {
    codes: codes('DR1', 'ET1', 'RE1', 'PB1', 'DI1'),
    scan: (code, day, label) => ({ code, label, date: `${day}T10:00:00Z` }),
    answer: (idShip, scans) => ({ returnCode: 200, shipment: { idShip, event: scans.toReversed() } }),
  },
  'royal-mail': {
    codes: codes('EV000', 'EVNMI', 'EV000', 'EVNRT', 'EVKOP'),
    states: codes('SENDER PREPARING ITEM', 'IN TRANSIT', 'RETURN TO SENDER', 'ACTION REQUIRED', 'DELIVERED'),
    scan: (eventCode, day, eventName) => ({
      eventCode,
      eventName,
      eventDateTime: `${day}T10:00:00Z`,
      locationName: '',
    }),
    answer: (oneDBarcode, scans, statusCategory) => ({
      mailPieces: { mailPieceId: '1', summary: { oneDBarcode, statusCategory }, events: scans.toReversed() },
    }),
  },
  postnord: {
    codes: codes('INFORMED', 'EN_ROUTE', 'RETURNING', 'STOPPED', 'DELIVERED'),
    states: codes('INFORMED', 'EN_ROUTE', 'RETURNING', 'STOPPED', 'DELIVERED'),
    scan: (status, day, eventDescription) => ({ status, eventDescription, eventTime: `${day}T10:00:00Z` }),
    answer: (shipmentId, events, status) => ({
      TrackingInformationResponse: { shipments: [{ shipmentId, status, items: [{ itemId: shipmentId, events }] }] },
    }),
  },
  gls: {
    codes: codes('INTIAL.PREADVICE', 'INBOUND.NORMAL', 'INBOUND.RETURN', 'NOTDELIVERED.NORMAL', 'DELIVERED.NORMAL'),
    states: codes('PREADVICE', 'INTRANSIT', 'INTRANSIT', 'NOTDELIVERED', 'DELIVERED'),
    scan: (code, day, description) => ({ code, description, eventDateTime: `${day}T10:00:00+0000` }),
    answer: (unitno, scans, status) => ({
      parcels: [{ requested: unitno, unitno, status, events: scans.toReversed() }],
    }),
  },
  dpd: {
    codes: codes('PreAdvice', 'BetweenDepots', 'ReturningFromDelivery', 'DeliveryFailure', 'Delivered'),
    scan: (status, day, text) => {
      const date = `${day.split('-').toReversed().join('-')} 10:00`;
      return `<statusInfo>${elements({ status, description: text, date, statusHasBeenReached: 'true' })}</statusInfo>`;
    },
    answer: (number, scans) =>
      `<trackingresult><shipmentInfo><parcelLabelNumber>${number}</parcelLabelNumber></shipmentInfo>${scans.join('')}</trackingresult>`,
  },
  postnl: {
    codes: codes('1', '5', '8', '8', '11'),
    states: codes('1', '5', '8', '8', '11'),
    scan: (StatusCode, day, StatusDescription) => {
      const TimeStamp = `${day.split('-').toReversed().join('-')} 10:00:00`;
      return { StatusCode, StatusDescription, Description: StatusDescription, TimeStamp };
    },
    answer: (Barcode, scans, StatusCode) => ({
      CompleteStatus: {
        Shipment: { Barcode, Event: scans.toReversed(), OldStatus: scans.toReversed(), Status: { StatusCode } },
      },
    }),
  },
  bpost: {
    codes: codes('', 'T00', '', '', 'U01'),
    scan: (stateCode, day, stateDescription) =>
      `<stateInfo>${elements({ time: `${day}T10:00:00Z`, stateCode, stateDescription })}</stateInfo>`,
    answer: (itemCode, scans) => `<itemTracking>${elements({ itemCode })}${scans.join('')}</itemTracking>`,
  },
  correos: {
    codes: codes('', 'P040000V', 'O140000V', 'H010930R', 'I010000V'),
    scan: (codEvento, day, desTextoResumen) => ({
      codEvento,
      desTextoResumen,
      fecEvento: day.split('-').toReversed().join('/'),
      horEvento: '10:00:00',
    }),
    answer: (codEnvio, eventos) => [{ codEnvio, error: { codError: '0' }, eventos }],
  },
  'poste-italiane': {
    codes: codes('', '', '', '', ''),
    scan: (_code, day, StatusDescription) => ({ StatusDescription, data: `${day} 10:00:00` }),
    answer: (waybillNumber, tracking) => ({ return: { code: 0, shipment: [{ waybillNumber, tracking }] } }),
  },
  aramex: {
    codes: codes('SH014', '', '', 'SH033', 'SH005'),
    scan: (UpdateCode, day, UpdateDescription) => ({
      UpdateCode,
      UpdateDescription,
      UpdateDateTime: `/Date(${Date.parse(`${day}T10:00:00Z`)})/`,
    }),
    answer: (Key, scans) => ({ HasErrors: false, TrackingResults: [{ Key, Value: scans.toReversed() }] }),
  },
  correios: {
    codes: codes('', 'RO', 'RO', 'BDE', 'BDE 01'),
    scan: (code, day, descricao) => {
      const [codigo, tipo = ''] = code.split(' ');
      return { codigo, tipo, descricao, dtHrCriado: `${day}T10:00:00` };
    },
    answer: (codObjeto, scans) => ({ objetos: [{ codObjeto, eventos: scans.toReversed() }] }),
  },
  'hermes-de': {
    codes: codes('0000', '2000', '6083', '4010', '3500'),
    scan: (code, day, description) => ({ code, description, timestamp: `${day}T10:00:00Z` }),
    answer: (shipmentID, scans) => ({ shipmentinfo: [{ shipmentID, status: scans.toReversed() }] }),
  },
  'jt-express': {
    codes: codes('', '20', '172', '110', '100'),
    scan: (scanTypeCode, day, desc) => ({ scanTypeCode, desc, scanTime: `${day} 10:00:00` }),
    answer: (billCode, scans) => ({ code: '1', data: [{ billCode, details: scans.toReversed() }] }),
  },
  sweettracker: {
    codes: codes('1', '3', '3', '3', '6'),
    scan: (level, day, kind) => ({ level: Number(level), kind, timeString: `${day} 10:00:00` }),
    answer: (invoiceNo, trackingDetails, level) => ({ invoiceNo, level: Number(level), trackingDetails }),
  },
  delhivery: {
    codes: codes('UD Manifested', 'UD In Transit', 'RT In Transit', 'CN Canceled', 'DL Delivered'),
    scan: (code, day, Instructions) => {
      const [ScanType = '', ...status] = code.split(' ');
      return { ScanDetail: { ScanType, Scan: status.join(' '), Instructions, ScanDateTime: `${day}T10:00:00` } };
    },
    answer: (AWB, Scans) => ({ ShipmentData: [{ Shipment: { AWB, Scans } }] }),
  },
  'nova-poshta': {
    codes: codes('1', '5', '103', '111', '9'),
    // It has no history.
    scan: (StatusCode, day, Status) => ({ StatusCode, Status, TrackingUpdateDate: `${day} 10:00:00` }),
    answer: (number, scans) => ({ success: true, data: [Object.assign({ Number: number }, scans.at(-1))] }),
  },
  cdek: {
    codes: codes('CREATED', 'SENT_TO_RECIPIENT_CITY', 'NOT_DELIVERED', 'NOT_DELIVERED', 'DELIVERED'),
    scan: (code, day, name) => ({ code, name, date_time: `${day}T10:00:00+0000` }),
    answer: (cdek_number, scans) => ({ entity: { cdek_number, statuses: scans.toReversed() } }),
  },
  'sf-express': {
    codes: codes('', '30', '99', '70', '80'),
    scan: (opCode, day, remark) => ({ opCode, remark, acceptTime: `${day} 10:00:00`, acceptAddress: '' }),
    answer: (mailNo, routes) => ({ success: true, msgData: { routeResps: [{ mailNo, routes }] } }),
  },
  kuaidi100: {
    codes: codes('101', '0', '6', '2', '3'),
    states: codes('101', '0', '6', '2', '3'),
    scan: (statusCode, day, context) => ({ statusCode, context, time: `${day} 10:00:00` }),
    answer: (nu, scans, state) => ({ status: '200', com: 'yuantong', nu, state, data: scans.toReversed() }),
  },
  kdniao: {
    codes: codes('10', '1', '407', '4', '3'),
    states: codes('10', '2', '407', '401', '3'),
    scan: (Action, day, AcceptStation) => ({ Action, AcceptStation, AcceptTime: `${day} 10:00:00` }),
    answer: (LogisticCode, Traces, State) => ({ Success: true, LogisticCode, State, StateEx: State, Traces }),
  },
  '17track': {
    codes: codes('InfoReceived', 'InTransit_Other', 'Exception_Returning', 'Exception_Other', 'Delivered_Other'),
    states: codes('InfoReceived', 'InTransit_Other', 'Exception_Returning', 'Exception_Other', 'Delivered_Other'),
    scan: (sub_status, day, description) => ({ sub_status, description, time_utc: `${day}T10:00:00Z` }),
    answer: (number, scans, sub_status) => ({
      code: 0,
      data: {
        accepted: [
          {
            number,
            track_info: { latest_status: { sub_status }, tracking: { providers: [{ events: scans.toReversed() }] } },
          },
        ],
      },
    }),
  },
  trackingmore: {
    codes: codes('inforeceived', 'transit', 'exception011', 'exception', 'delivered'),
    states: codes('inforeceived', 'transit', 'exception011', 'exception', 'delivered'),
    scan: (status, day, tracking_detail) => ({
      checkpoint_delivery_substatus: status,
      tracking_detail,
      checkpoint_date: `${day}T10:00:00Z`,
    }),
    answer: (tracking_number, scans, substatus) => ({
      meta: { code: 200 },
      data: [{ tracking_number, substatus, origin_info: { trackinfo: scans.toReversed() } }],
    }),
  },
  ship24: {
    codes: codes('info_received', 'in_transit', 'exception', 'exception', 'delivered'),
    states: codes('info_received', 'in_transit', 'exception', 'exception', 'delivered'),
    scan: (statusMilestone, day, status) => ({ statusMilestone, status, occurrenceDatetime: `${day}T10:00:00Z` }),
    answer: (trackingNumber, scans, statusMilestone) => ({
      data: { trackings: [{ tracker: { trackingNumber }, shipment: { statusMilestone }, events: scans.toReversed() }] },
    }),
  },
  aftership: {
    codes: codes('InfoReceived', 'InTransit', 'Exception', 'Exception', 'Delivered'),
    states: codes('InfoReceived', 'InTransit', 'Exception_010', 'Exception', 'Delivered'),
    scan: (tag, day, message) => ({ tag, message, checkpoint_time: `${day}T10:00:00Z` }),
    answer: (tracking_number, checkpoints, subtag) => ({
      meta: { code: 200 },
      data: { trackings: [{ tracking_number, tag: subtag.split('_')[0], subtag, checkpoints }] },
    }),
  },
  easypost: {
    codes: codes('pre_transit', 'in_transit', 'return_to_sender', 'failure', 'delivered'),
    states: codes('pre_transit', 'in_transit', 'return_to_sender', 'failure', 'delivered'),
    scan: (status, day, message) => ({ status, message, datetime_local: `${day}T10:00:00Z` }),
    answer: (tracking_code, tracking_details, status) => ({ trackers: [{ tracking_code, status, tracking_details }] }),
  },
};

/** The providers whose formats can be written; those that report a state of the parcel besides its scans. */
export const WRITTEN: readonly string[] = Object.keys(WIRES);
export const WITH_STATE: readonly string[] = WRITTEN.filter((name) => WIRES[name]?.states !== undefined);

/** An answer in the provider's own format, one scan a day from 2 May 2031 on. */
export function answerIn(provider: string, { number, scans, state }: Parcel): HttpOutcome {
  const { codes, states = codes } = wireOf(provider);
  const coded = scans.map(({ text, kind }) => ({ text, code: codes[kind] }));
  return codedAnswerIn(provider, number, coded, states[state ?? scans.at(-1)?.kind ?? 'moving']);
}

/** Like `answerIn`, with the provider's own codes; the state of the parcel is that of its last scan by default. */
export function codedAnswerIn(
  provider: string,
  number: string,
  scans: readonly CodedScan[],
  state = scans.at(-1)?.code ?? '',
): HttpOutcome {
  const { scan, answer } = wireOf(provider);
  const written = scans.map(({ text, code }, i) => scan(code, `2031-05-${String(i + 2).padStart(2, '0')}`, text));
  return response(answer(number, written, state));
}

function wireOf(provider: string): Wire {
  const wire = WIRES[provider];
  if (!wire) throw new Error(`there is no format of ${provider}`);
  return wire;
}
