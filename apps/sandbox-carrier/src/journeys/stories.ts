import { REAL_LIVES } from './real-lives.ts';
import { lotOf, lotStory } from './seeded.ts';
import type { Manner, Step, Story } from './story.ts';

const AT_ONCE: Manner = { kind: 'at-once' };

const ORDINARY_STEPS: readonly Step[] = [
  { at: 0, where: 'origin', text: 'label' },
  { at: 4, where: 'origin', text: 'collected' },
  { at: 10, where: 'originHub', text: 'departed' },
  { at: 18, where: 'viaHub', text: 'arrived' },
  { at: 26, where: 'destinationHub', text: 'arrivedInCity' },
  { at: 32, where: 'destination', text: 'outForDelivery' },
  { at: 45, where: 'destination', text: 'delivered' },
];

/** Collected and in transit: the start of stories that go wrong later. */
const ON_THE_ROAD: readonly Step[] = [
  { at: 0, where: 'origin', text: 'label' },
  { at: 4, where: 'origin', text: 'collected' },
  { at: 10, where: 'originHub', text: 'departed' },
];

const later = (steps: readonly Step[], seconds: number) => steps.map((step) => ({ ...step, at: step.at + seconds }));
/** The ordinary journey with another text for the scan made at `at`. */
const ordinaryBut = (at: number, difference: Partial<Step>) =>
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
    summary: 'Waits in a parcel locker, then is picked up.',
    manner: AT_ONCE,
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
