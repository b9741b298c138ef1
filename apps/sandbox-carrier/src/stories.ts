import type { Manner, Story, StoryStep } from './story.ts';

/** Shared by most of them: collected and in transit. */
const FIRST_SCANS = [
  { at: 0, where: 'origin', text: 'collected' },
  { at: 6, where: 'originHub', text: 'departed' },
] as const;
const AT_ONCE: Manner = { kind: 'at-once' };

/** Stories in which the carrier revises its history, or the parcel changes its route. */
const REAL_LIVES = {
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
      ...FIRST_SCANS,
      { at: 26, where: 'destination', text: 'outForDelivery' },
      { at: 38, where: 'destination', text: 'delivered' },
    ],
  },
  MISTAKEN: {
    summary: 'From 12 s on all answers are about another parcel: accepted after an hour.',
    manner: AT_ONCE,
    otherParcel: { from: 12 },
    steps: FIRST_SCANS,
  },
  WITHDRAWN: {
    summary: 'Delivered, but the carrier withdraws that after 8 s; later delivered after all.',
    manner: AT_ONCE,
    steps: [
      ...FIRST_SCANS,
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
      ...FIRST_SCANS,
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
      ...FIRST_SCANS,
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
      ...FIRST_SCANS,
      { at: 14, where: 'destination', text: 'outForDelivery' },
      { at: 24, where: 'destination', text: 'lockerSigned' },
      { at: 44, where: 'destination', text: 'pickedUp' },
    ],
  },
  HANDOVER: {
    summary: 'Handed over to another carrier by a signature, then delivered.',
    manner: AT_ONCE,
    steps: [
      ...FIRST_SCANS,
      { at: 16, where: 'viaHub', text: 'handedOver' },
      { at: 30, where: 'destination', text: 'outForDelivery' },
      { at: 44, where: 'destination', text: 'delivered' },
    ],
  },
  RECLASSIFIED: {
    summary: 'A scan of movement is classified as ready for pickup 10 s later: same time, same text.',
    manner: AT_ONCE,
    steps: [
      ...FIRST_SCANS,
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
      ...FIRST_SCANS,
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
      ...FIRST_SCANS,
      { at: 14, where: 'destination', text: 'outForDelivery' },
      { at: 26, where: 'destination', text: 'pieceDelivered' },
      { at: 44, where: 'destination', text: 'delivered' },
    ],
    statuses: ['查询中', '派送中', '已签收'],
  },
} as const;

const ORDINARY_STEPS: readonly StoryStep[] = [
  { at: 0, where: 'origin', text: 'label' },
  { at: 4, where: 'origin', text: 'collected' },
  { at: 10, where: 'originHub', text: 'departed' },
  { at: 18, where: 'viaHub', text: 'arrived' },
  { at: 26, where: 'destinationHub', text: 'arrivedInCity' },
  { at: 32, where: 'destination', text: 'outForDelivery' },
  { at: 45, where: 'destination', text: 'delivered' },
];

/** Collected and in transit: the start of stories that go wrong later. */
const ON_THE_ROAD: readonly StoryStep[] = [
  { at: 0, where: 'origin', text: 'label' },
  { at: 4, where: 'origin', text: 'collected' },
  { at: 10, where: 'originHub', text: 'departed' },
];

const later = (steps: readonly StoryStep[], seconds: number) =>
  steps.map((step) => ({ ...step, at: step.at + seconds }));
/** The ordinary journey with another text for the scan made at `at`. */
const ordinaryBut = (at: number, difference: Partial<StoryStep>) =>
  ORDINARY_STEPS.map((step) => (step.at === at ? { ...step, ...difference } : step));

/** Every story, by the name in its numbers: `SBX<STORY><digits>`. */
export const STORIES = {
  ORDINARY: {
    summary: 'Collected, on the road, out for delivery, delivered.',
    manner: AT_ONCE,
    steps: ORDINARY_STEPS,
  },
  EXPRESS: {
    summary: 'The ordinary journey, faster.',
    manner: AT_ONCE,
    steps: [
      { at: 0, where: 'origin', text: 'collected' },
      { at: 5, where: 'originHub', text: 'departed' },
      { at: 10, where: 'destination', text: 'outForDelivery' },
      { at: 20, where: 'destination', text: 'delivered' },
    ],
  },
  EXCEPTION: {
    summary: 'Held on the way, and stays held.',
    manner: AT_ONCE,
    steps: [...ON_THE_ROAD, { at: 20, where: 'viaHub', text: 'held' }],
  },
  RECOVERED: {
    summary: 'Held on the way, released, delivered.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 16, where: 'viaHub', text: 'held' },
      { at: 28, where: 'viaHub', text: 'cleared' },
      { at: 36, where: 'destination', text: 'outForDelivery' },
      { at: 48, where: 'destination', text: 'delivered' },
    ],
  },
  UNDELIVERABLE: {
    summary: 'Out for delivery, but the recipient cannot be reached; stays so.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 20, where: 'destination', text: 'outForDelivery' },
      { at: 32, where: 'destination', text: 'unreachable' },
    ],
  },
  RETURNED: {
    summary: 'Refused at the door, then returned to the sender.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 18, where: 'destination', text: 'outForDelivery' },
      { at: 28, where: 'destination', text: 'refused' },
      { at: 45, where: 'origin', text: 'returned' },
    ],
  },
  PICKUP: {
    summary: 'Waits in a parcel locker, whose address and opening hours are stated, then is picked up.',
    manner: AT_ONCE,
    hasPickupPoint: true,
    steps: [
      ...ON_THE_ROAD,
      { at: 18, where: 'destination', text: 'outForDelivery' },
      { at: 28, where: 'destination', text: 'atLocker' },
      { at: 50, where: 'destination', text: 'pickedUp' },
    ],
  },
  DELIVEREDRETURNED: {
    summary: 'Delivered, later sent back by the recipient.',
    manner: AT_ONCE,
    steps: [
      ...ON_THE_ROAD,
      { at: 18, where: 'destination', text: 'outForDelivery' },
      { at: 30, where: 'destination', text: 'delivered' },
      { at: 50, where: 'origin', text: 'returned' },
    ],
  },
  LATESCAN: {
    summary: 'A scan made on the road is listed only when the parcel is already out for delivery.',
    manner: AT_ONCE,
    steps: ordinaryBut(18, { listedAt: 38 }),
  },
  CORRECTED: {
    summary: 'The text of a scan is corrected in place: same time, same status, new description.',
    manner: AT_ONCE,
    steps: ordinaryBut(10, { text: 'departedUnread', corrected: { at: 22, text: 'departed' } }),
  },
  REPEATED: {
    summary: 'A scan is listed twice, word for word.',
    manner: AT_ONCE,
    steps: ordinaryBut(18, { copies: 2 }),
  },
  NOTFOUND: { summary: 'The carrier never knows the number.', manner: AT_ONCE, steps: [] },
  LATEFOUND: {
    summary: 'Not found for 15 s, then the ordinary journey.',
    manner: AT_ONCE,
    steps: later(ORDINARY_STEPS, 15),
  },
  PHONE: {
    summary: 'Answers only when a phone number, or its last four digits, is given; then the ordinary journey.',
    manner: { kind: 'given-a-phone' },
    steps: ORDINARY_STEPS,
  },
  FLAKY: {
    summary: 'Every other query fails, including the first; otherwise the ordinary journey.',
    manner: { kind: 'every-other-question' },
    steps: ORDINARY_STEPS,
  },
  SLOW: {
    summary: 'Every answer takes 5 s; otherwise the ordinary journey.',
    manner: { kind: 'after', seconds: 5, spedUp: true },
    steps: ORDINARY_STEPS,
  },
  TIMEOUT: {
    summary: 'Every answer is delayed by 60 s, at any speed: too late for the service.',
    manner: { kind: 'after', seconds: 60, spedUp: false },
    steps: ORDINARY_STEPS,
  },
  ERROR: {
    summary: 'Every query of this number fails inside the carrier.',
    manner: { kind: 'never', failure: 'transient', message: 'The carrier has trouble with this number.' },
    steps: [],
  },
  LIMIT: {
    summary: 'Every query is rate limited: retry after 10 s.',
    manner: { kind: 'never', failure: 'rate_limited', message: 'Asked too often.', retryAfterSeconds: 10 },
    steps: [],
  },
  INVALID: {
    summary: 'The carrier reports that the number cannot exist.',
    manner: { kind: 'never', failure: 'invalid_number', message: 'This is not a number of the sandbox carrier.' },
    steps: [],
  },
  MIXEDUP: {
    summary: 'Every answer names another number, so it is not trusted.',
    manner: { kind: 'about-another-number' },
    steps: ORDINARY_STEPS,
  },
  GARBAGE: {
    summary: 'The answer is unreadable.',
    manner: { kind: 'never', failure: 'unreadable', message: 'The carrier answered something unreadable.' },
    steps: [],
  },
  PUSHLOST: {
    summary: "The ordinary journey; on Kuaidi100's wire its callbacks get lost from 12 s on, except for the first.",
    manner: AT_ONCE,
    steps: ORDINARY_STEPS,
    callbackFault: { at: 12, kind: 'lost' },
  },
  PUSHABORT: {
    summary: "The ordinary journey; on Kuaidi100's wire its subscription is given up once, after 12 s.",
    manner: AT_ONCE,
    steps: ORDINARY_STEPS,
    callbackFault: { at: 12, kind: 'aborted' },
  },
  PUSHMOVED: {
    summary: "The ordinary journey; on Kuaidi100's wire the company is corrected to ZTO after 12 s.",
    manner: AT_ONCE,
    steps: ORDINARY_STEPS,
    callbackFault: { at: 12, kind: 'corrected', company: 'zhongtong' },
  },
  ...REAL_LIVES,
} as const satisfies Record<string, Story>;

export type StoryName = keyof typeof STORIES;
export const STORY_NAMES = Object.keys(STORIES) as StoryName[];

const STORY_NUMBER = /^SBX([A-Z]+)\d+$/;

/** The story of a number: that of its lot or the one it names, otherwise the ordinary one. */
export function storyOf(number: string): Story {
  const lot = lotOf(number);
  if (lot) return lotStory(lot);
  const name = STORY_NUMBER.exec(number)?.[1];
  return name !== undefined && isStoryName(name) ? STORIES[name] : STORIES.ORDINARY;
}

function isStoryName(name: string): name is StoryName {
  return Object.hasOwn(STORIES, name);
}

/**
 * Parcels with the same history, which `npm run seed` registers together. The carrier stores nothing about them: the
 * start of the journey is part of their numbers.
 */
export type Lot = {
  startsAt: Date;
  /** Whole seconds between two scans, at any speed of the sandbox; 0: there is nothing new after the first four. */
  everySeconds: number;
};

/** `SBXSEEDED`, the start in Unix seconds, the seconds between two scans, and the number of the parcel in its lot. */
const SEEDED = /^(SBXSEEDED(\d{10})(\d{6}))\d{9}$/;
export const MAX_SECONDS_BETWEEN = 999_999;
export const MAX_IN_A_LOT = 1_000_000_000;

/** The most scans of a lot, so that no history grows without end. */
const MAX_SCANS = 60;
/** The first four, in hours from the start, of lots without anything new. */
const STILL_HOURS = [0, 1, 4, 10];
const USUAL_WAYS = [
  { where: 'originHub', text: 'departed' },
  { where: 'viaHub', text: 'arrived' },
] as const;

/** The start of the numbers of a lot; nine digits follow. */
export function lotPrefix({ startsAt, everySeconds }: Lot): string {
  const seconds = Math.floor(startsAt.getTime() / 1000);
  return `SBXSEEDED${String(seconds).padStart(10, '0')}${String(everySeconds).padStart(6, '0')}`;
}

/** The lot of a number, and the number that represents the whole lot; null if it was not seeded. */
export function lotOf(number: string): (Lot & { number: string }) | null {
  const [, prefix, start, every] = SEEDED.exec(number) ?? [];
  if (prefix === undefined) return null;
  const startsAt = new Date(Number(start) * 1000);
  return { startsAt, everySeconds: Number(every), number: `${prefix}${'0'.repeat(9)}` };
}

/** The story of a lot: in transit forever. */
function lotStory({ everySeconds }: Lot): Story {
  const hours = everySeconds === 0 ? STILL_HOURS : Array.from({ length: MAX_SCANS }, (_, n) => n);
  const seconds = everySeconds === 0 ? 3600 : everySeconds;
  const steps = hours.map((hour, n): StoryStep => ({ at: hour * seconds, ...textAt(n) }));
  return { summary: 'On the road since it was seeded.', manner: { kind: 'at-once' }, steps };
}

function textAt(n: number): Pick<StoryStep, 'where' | 'text'> {
  if (n === 0) return { where: 'origin', text: 'label' };
  if (n === 1) return { where: 'origin', text: 'collected' };
  return USUAL_WAYS[n % 2] ?? USUAL_WAYS[0];
}
