import type { Failure } from '@pts/core/tracking/answer';
import type { Course } from '@pts/core/tracking/scan';
import type { ScanStatus, Status } from '@pts/core/tracking/status';

/** Why the sandbox may refuse to answer about a number. */
export type SandboxFailure = Extract<
  Failure,
  'invalid_number' | 'needs_input' | 'transient' | 'rate_limited' | 'unreadable'
>;

/** One scan of a script. Seconds are counted from the first query for the number, at speed 1. */
export type StoryStep = {
  at: number;
  where: Stage;
  text: StoryText;
  /** When the carrier starts to list it, if later than it was made. */
  listedAt?: number;
  /** When its text changes: same time, same status, new text. */
  corrected?: { at: number; text: StoryText };
  /** Listed this many times, if not once. */
  copies?: number;
  /** When the carrier stops listing it. */
  listedUntil?: number;
  /** When it is reclassified: same time, same text, the status of another text. */
  reclassified?: { at: number; as: StoryText };
  /** Made this many days earlier, for an earlier parcel with the same number. */
  daysBefore?: number;
};

/** How the carrier answers. */
export type Manner =
  | { kind: 'at-once' }
  /** `spedUp` waits get shorter with the sandbox's speed; a hold meant to outlast a client's timeout does not. */
  | { kind: 'after'; seconds: number; spedUp: boolean }
  | { kind: 'every-other-question' }
  | { kind: 'given-a-phone' }
  | { kind: 'about-another-number' }
  | { kind: 'never'; failure: SandboxFailure; message: string; retryAfterSeconds?: number };

/**
 * A fault in the callbacks of a number from `at` on: they get lost, the subscription is given up once, or the company
 * is corrected. Queries are not affected.
 */
export type CallbackFault = { at: number } & (
  | { kind: 'lost' }
  | { kind: 'aborted' }
  | { kind: 'corrected'; company: string }
);

/** `steps` are in order of time; while none is listed, the number is not found. */
export type Story = {
  summary: string;
  manner: Manner;
  steps: readonly StoryStep[];
  /** When the answers are about another parcel; without `until`, permanently. */
  otherParcel?: { from: number; until?: number };
  /** By how many hours all times are wrong, and until when. */
  shifted?: { until: number; hours: number };
  /** How many pieces the shipment has; each has its own delivery scan. */
  pieces?: number;
  /** Whether the answers state the parcel locker at the destination. */
  hasPickupPoint?: true;
  /** The overall statuses that a merchant sees, and the last state, where the steps alone do not show them. */
  statuses?: readonly Status[];
  endsAs?: ScanStatus;
  callbackFault?: CallbackFault;
};

/** Where a scan can be made. */
type Stage = 'origin' | 'originHub' | 'viaHub' | 'destinationHub' | 'destination';

type Table = readonly [string, ...string[]];

/** Invented on purpose, so that a sandbox parcel does not look like a real one. Both lists have twelve. */
const CITIES: Record<StoryLanguage, Table> = {
  zh: [
    '云溪市',
    '青禾市',
    '望潮市',
    '白鹭市',
    '松岭市',
    '金穗市',
    '月湾市',
    '枫桥镇',
    '石榴市',
    '晴川县',
    '长汐市',
    '梅屿市',
  ],
  en: [
    'Alderwick',
    'Brightmoor',
    'Calder Bay',
    'Dunmere',
    'Eastholt',
    'Fennbrook',
    'Greywater',
    'Hollins Ferry',
    'Ivory Point',
    'Juniper Falls',
    'Kestrel Hill',
    'Larkhaven',
  ],
};
const COURIERS: Record<StoryLanguage, Table> = {
  zh: ['陈师傅', '林师傅', '周师傅', '何师傅', '苏师傅', '唐师傅', '罗师傅', '许师傅'],
  en: ['Ada', 'Bruno', 'Chiara', 'Dmitri', 'Elif', 'Femi', 'Greta', 'Hugo'],
};
const SUFFIXES: Record<StoryLanguage, Record<Stage, string>> = {
  zh: {
    origin: '揽收网点',
    originHub: '转运中心',
    viaHub: '转运中心',
    destinationHub: '转运中心',
    destination: '派送站',
  },
  en: { origin: ' Post', originHub: ' Hub', viaHub: ' Hub', destinationHub: ' Hub', destination: ' Depot' },
};
const NEXT: Record<Stage, Stage> = {
  origin: 'originHub',
  originHub: 'viaHub',
  viaHub: 'destinationHub',
  destinationHub: 'destination',
  destination: 'destination',
};

export type ScanPlace = { city: string; cityIndex: number; name: string };

/** The route of one parcel: the same number always takes the same route. */
export type StoryRoute = { courier: string; at(stage: Stage): ScanPlace; after(stage: Stage): ScanPlace };

/** The language of a number's texts if the wire does not determine it: Chinese or English, by a hash of the number. */
export function languageOf(number: string): StoryLanguage {
  return (hash(number) >>> 20) % 2 === 0 ? 'zh' : 'en';
}

export function routeOf(number: string, language: StoryLanguage): StoryRoute {
  const h = hash(number);
  const cities = cityIndexes(h);
  const at = (stage: Stage): ScanPlace => {
    const city = pick(CITIES[language], cities[stage]);
    return { city, cityIndex: cities[stage], name: `${city}${SUFFIXES[language][stage]}` };
  };
  return { courier: pick(COURIERS[language], h >>> 16), at, after: (stage) => at(NEXT[stage]) };
}

/**
 * Three different cities: the destination lies 1 to 5 places after the origin in the table, the hub between 6 to 11.
 */
function cityIndexes(h: number): Record<Stage, number> {
  const origin = h % 12;
  const via = (origin + 6 + ((h >>> 8) % 6)) % 12;
  const destination = (origin + 1 + ((h >>> 4) % 5)) % 12;
  return { origin, originHub: origin, viaHub: via, destinationHub: destination, destination };
}

function pick(table: Table, index: number): string {
  return table[index % table.length] ?? table[0];
}

/** FNV-1a with a last mix, so that numbers that differ in one digit take different routes. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}

export type StoryLanguage = 'zh' | 'en';

/** The names a text may mention: where the scan was made, where the parcel goes next, who carries it. */
type Mentions = { here: string; next: string; courier: string };

type Text = {
  status: ScanStatus;
  course?: Course;
  /** The status code and its name on Kuaidi100's wire. */
  kuaidi100: { code: string; name: string };
} & Record<StoryLanguage, (m: Mentions) => string>;

/** The carrier's text for each kind of scan. */
const TEXTS = {
  label: {
    status: 'info_received',
    kuaidi100: { code: '101', name: '已下单' },
    zh: () => '商家已发出取件通知，等待包裹交付',
    en: () => 'Shipping label created, waiting for the parcel',
  },
  collected: {
    status: 'in_transit',
    kuaidi100: { code: '103', name: '已揽收' },
    zh: (m) => `【${m.here}】${m.courier}已取件`,
    en: (m) => `Collected by ${m.courier} at ${m.here}`,
  },
  departed: {
    status: 'in_transit',
    kuaidi100: { code: '1002', name: '干线' },
    zh: (m) => `包裹离开【${m.here}】，下一站【${m.next}】`,
    en: (m) => `Left ${m.here} for ${m.next}`,
  },
  departedUnread: {
    status: 'in_transit',
    kuaidi100: { code: '1002', name: '干线' },
    zh: (m) => `包裹离开【${m.here}】，下一站待核对`,
    en: (m) => `Left ${m.here}, next stop to be confirmed`,
  },
  arrived: {
    status: 'in_transit',
    kuaidi100: { code: '0', name: '在途' },
    zh: (m) => `包裹抵达【${m.here}】`,
    en: (m) => `Arrived at ${m.here}`,
  },
  arrivedInCity: {
    status: 'in_transit',
    kuaidi100: { code: '1001', name: '到达派件城市' },
    zh: (m) => `包裹抵达目的地城市，已在【${m.here}】分拣`,
    en: (m) => `Sorted at ${m.here}, in the city of delivery`,
  },
  cleared: {
    status: 'in_transit',
    kuaidi100: { code: '0', name: '在途' },
    zh: (m) => `问题已处理，包裹从【${m.here}】继续运输`,
    en: (m) => `Problem solved, on the move again from ${m.here}`,
  },
  outForDelivery: {
    status: 'out_for_delivery',
    kuaidi100: { code: '5', name: '派件' },
    zh: (m) => `【${m.here}】${m.courier}正在为您派送`,
    en: (m) => `Out for delivery from ${m.here} with ${m.courier}`,
  },
  atLocker: {
    status: 'available_for_pickup',
    kuaidi100: { code: '501', name: '投柜或驿站' },
    zh: (m) => `包裹已放入【${m.here}】自提柜，请凭码领取`,
    en: (m) => `Ready for pickup at the parcel locker of ${m.here}`,
  },
  pickedUp: {
    status: 'delivered',
    kuaidi100: { code: '301', name: '本人签收' },
    zh: () => '收件人已从自提柜领取包裹',
    en: () => 'Picked up by the recipient',
  },
  delivered: {
    status: 'delivered',
    kuaidi100: { code: '301', name: '本人签收' },
    zh: () => '包裹已交到收件人手中，感谢使用沙箱快递',
    en: () => 'Delivered, handed to the recipient',
  },
  held: {
    status: 'exception',
    kuaidi100: { code: '2', name: '疑难' },
    zh: (m) => `包裹在【${m.here}】滞留，面单地址不完整`,
    en: (m) => `Held at ${m.here}, the address is incomplete`,
  },
  refused: {
    status: 'exception',
    course: 'refused',
    kuaidi100: { code: '203', name: '拒签' },
    zh: () => '收件人不接收此包裹',
    en: () => 'The recipient refused the parcel',
  },
  unreachable: {
    status: 'undeliverable',
    kuaidi100: { code: '206', name: '无法联系' },
    zh: (m) => `多次无法联系收件人，包裹已退存【${m.here}】`,
    en: (m) => `Could not be delivered, the recipient cannot be reached; kept at ${m.here}`,
  },
  goingBack: {
    status: 'exception',
    course: 'going_back',
    kuaidi100: { code: '6', name: '退回' },
    zh: (m) => `寄件人召回，包裹离开【${m.here}】返程`,
    en: (m) => `Recalled by the sender, on the way back from ${m.here}`,
  },
  lockerSigned: {
    status: 'available_for_pickup',
    kuaidi100: { code: '304', name: '代签' },
    zh: (m) => `【${m.here}】自提柜已代签收，请凭码领取`,
    en: (m) => `Signed for by the parcel locker of ${m.here}, ready for pickup`,
  },
  handedOver: {
    status: 'in_transit',
    kuaidi100: { code: '7', name: '转投' },
    zh: () => '已签收，签收人是：转EMS 1199000000017',
    en: () => 'Handed over to EMS, number 1199000000017',
  },
  pieceDelivered: {
    status: 'delivered',
    // This wire has no pieces: the others are still out for delivery.
    kuaidi100: { code: '5', name: '派件' },
    zh: () => '本票第一件已交付，其余随后送达',
    en: () => 'The first piece was delivered, the others follow',
  },
  returned: {
    status: 'returned',
    kuaidi100: { code: '4', name: '退签' },
    zh: () => '包裹已退还寄件人',
    en: () => 'Returned to the sender',
  },
} as const satisfies Record<string, Text>;

export type StoryText = keyof typeof TEXTS;

/** Kinds without a code in carriers' own APIs, and the nearest kind with one. */
const NEAREST = {
  lockerSigned: 'atLocker',
  handedOver: 'departed',
  pieceDelivered: 'outForDelivery',
} as const;

/** The texts that every wire has a code for. */
export type TextName = Exclude<StoryText, keyof typeof NEAREST>;

export function nearestText(name: StoryText): TextName {
  return isCommon(name) ? name : NEAREST[name];
}

function isCommon(name: StoryText): name is TextName {
  return !Object.hasOwn(NEAREST, name);
}

/** The text of a name, typed as any text. */
export function textOf(name: StoryText): Text {
  return TEXTS[name];
}
