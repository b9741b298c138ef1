/** Shared by most of them: collected and in transit. */
const ON_THE_ROAD = [
  { at: 0, where: 'origin', text: 'collected' },
  { at: 6, where: 'originHub', text: 'departed' },
] as const;
const AT_ONCE = { kind: 'at-once' } as const;

/** Stories in which the carrier revises its history, or the parcel changes its route. */
export const REAL_LIVES = {
  RECYCLED: {
    summary: 'The number had another parcel 400 days ago; the new one is listed after 8 s and delivered.',
    manner: AT_ONCE,
    steps: [
      { at: 0, where: 'destination', text: 'collected', daysBefore: 400 },
      { at: 4, where: 'origin', text: 'delivered', daysBefore: 400 },
      { at: 8, where: 'origin', text: 'collected' },
      { at: 16, where: 'viaHub', text: 'arrived' },
      { at: 26, where: 'destination', text: 'outForDelivery' },
      { at: 38, where: 'destination', text: 'delivered' },
    ],
  },
  FOREIGN: {
    summary: "From 12 to 20 s the answers are about another parcel; otherwise the ordinary journey's end.",
    manner: AT_ONCE,
    otherParcel: { from: 12, until: 20 },
    steps: [
      ...ON_THE_ROAD,
      { at: 26, where: 'destination', text: 'outForDelivery' },
      { at: 38, where: 'destination', text: 'delivered' },
    ],
  },
  MISTAKEN: {
    summary: 'From 12 s on all answers are about another parcel: accepted after an hour.',
    manner: AT_ONCE,
    otherParcel: { from: 12 },
    steps: ON_THE_ROAD,
  },
  WITHDRAWN: {
    summary: 'Delivered, but the carrier withdraws that after 8 s; later delivered after all.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 12, where: 'destination', text: 'outForDelivery' },
      { at: 22, where: 'destination', text: 'delivered', listedUntil: 30 },
      { at: 44, where: 'destination', text: 'delivered' },
    ],
    statuses: ['查询中', '派送中', '已签收', '派送中', '已签收'],
  },
  GOINGBACK: {
    summary: 'Turned back on the way, and delivered to the sender.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 14, where: 'destination', text: 'outForDelivery' },
      { at: 22, where: 'destination', text: 'goingBack' },
      { at: 32, where: 'origin', text: 'outForDelivery' },
      { at: 44, where: 'origin', text: 'delivered' },
    ],
    statuses: ['查询中', '派送中', '异常'],
    endsAs: 'returned',
  },
  REFUSED: {
    summary: 'Refused at the door, out for delivery again, delivered.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 14, where: 'destination', text: 'outForDelivery' },
      { at: 22, where: 'destination', text: 'refused' },
      { at: 32, where: 'destination', text: 'outForDelivery' },
      { at: 44, where: 'destination', text: 'delivered' },
    ],
  },
  LOCKER: {
    summary: 'Signed for by a parcel locker, then picked up.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 14, where: 'destination', text: 'outForDelivery' },
      { at: 24, where: 'destination', text: 'lockerSigned' },
      { at: 44, where: 'destination', text: 'pickedUp' },
    ],
  },
  HANDOVER: {
    summary: 'Handed over to another carrier by a signature, then delivered.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 16, where: 'viaHub', text: 'handedOver' },
      { at: 30, where: 'destination', text: 'outForDelivery' },
      { at: 44, where: 'destination', text: 'delivered' },
    ],
  },
  RECLASSIFIED: {
    summary: 'A scan of movement is classified as ready for pickup 10 s later: same time, same text.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 16, where: 'destination', text: 'arrivedInCity', reclassified: { at: 26, as: 'atLocker' } },
      { at: 44, where: 'destination', text: 'pickedUp' },
    ],
    statuses: ['查询中', '派送中', '已签收'],
  },
  SHIFTED: {
    summary: 'All times are 8 hours early until 22 s: then the carrier corrects its time zone.',
    manner: AT_ONCE,
    shifted: { until: 22, hours: -8 },
    steps: [
      ...ON_THE_ROAD,
      { at: 14, where: 'viaHub', text: 'arrived' },
      { at: 30, where: 'destination', text: 'outForDelivery' },
      { at: 44, where: 'destination', text: 'delivered' },
    ],
  },
  PIECES: {
    summary: 'A shipment of two pieces, delivered one after the other.',
    manner: AT_ONCE,
    pieces: 2,
    steps: [
      ...ON_THE_ROAD,
      { at: 14, where: 'destination', text: 'outForDelivery' },
      { at: 26, where: 'destination', text: 'pieceDelivered' },
      { at: 44, where: 'destination', text: 'delivered' },
    ],
    statuses: ['查询中', '派送中', '已签收'],
  },
} as const;
