import { BEGINNING, type Epoch, type FeedPosition, positionToContinue, type Standing } from './continuation.ts';

const at = (xact: number, position = 1): FeedPosition => ({ xact: BigInt(xact), position: BigInt(position) });
const epoch = (id: number, timeline: number, more: Partial<Epoch> = {}): Epoch => ({
  id,
  timeline,
  system: 'here',
  firstXact: 100n,
  ...more,
});
/** The server was promoted at transaction 1000 and has reached 1050; the cursor is of the timeline before. */
const standing = (more: Partial<Standing> = {}): Standing => ({
  current: epoch(2, 2, { firstXact: 1010n }),
  epoch: epoch(1, 1),
  oldestOpen: 1050n,
  lastTimeline: 1,
  lastKnown: at(990),
  isHere: true,
  ...more,
});

// biome-ignore format: one case per line is readable as a table
test.each<[what: string, place: FeedPosition, more: Partial<Standing>, continues: FeedPosition]>([
  ['a reader that has read less than the promoted server had', at(990), {}, at(990)],
  ['one that is ahead, whose account has no event on the new timeline up to there', at(1020), { isHere: false }, at(1020)],
  ['one that is ahead of an event of the new timeline', at(1020), { lastTimeline: 2, isHere: false }, at(990)],
  ['one that is ahead of all transactions', at(2000), { isHere: false }, at(990)],
  ['one at a transaction that is still open', at(1050), { isHere: false }, at(990)],
  ['one before all events of an open transaction', at(1050, 0), { isHere: false }, at(1050, 0)],
  ['one that is ahead, of an account without older events', at(2000), { lastTimeline: 2, lastKnown: null }, BEGINNING],
  ['one from an epoch that this database never saw', at(990), { epoch: null }, BEGINNING],
  ['one from a later timeline than this', at(990), { epoch: epoch(3, 3) }, BEGINNING],
  ['one from before pg_upgrade, which continues the numbers', at(990), { epoch: epoch(1, 7, { system: 'before' }) }, at(990)],
  ['one from before a dump, whose server has fewer transactions', at(2000), { epoch: epoch(1, 1, { system: 'before' }) }, BEGINNING],
  ['one from before a dump, whose events have new numbers', at(990), { epoch: epoch(1, 1, { system: 'before' }), isHere: false }, BEGINNING],
])('%s', (_what, place, more, continues) => {
  expect(positionToContinue(place, standing(more))).toEqual(continues);
});
