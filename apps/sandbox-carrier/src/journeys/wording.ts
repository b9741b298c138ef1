import type { Course } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';

export type Language = 'zh' | 'en';

/** The names a text may mention: where the scan was made, where the parcel goes next, who carries it. */
export type Mentions = { here: string; next: string; courier: string };

type Text = {
  status: ScanStatus;
  course?: Course;
  /** The status code and its name on Kuaidi100's wire. */
  kuaidi100: { code: string; name: string };
} & Record<Language, (m: Mentions) => string>;

/** The carrier's text for each kind of scan. */
export const TEXTS = {
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
