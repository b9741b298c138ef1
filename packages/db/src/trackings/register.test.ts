import { startRound } from '@pts/core/tracking/undecided';
import { findKnown, newOnes } from './register.ts';

const NUMBER = '773012345678';
const undecided = startRound([{ carrier: 'sto', provider: 'some' }], new Date(0));
const tracking = (carrier: string, detected: boolean, candidates: typeof undecided | null = null) => ({
  trackingNumber: NUMBER,
  carrier,
  detected,
  candidates,
});
const bare = { trackingNumber: NUMBER, carrier: 'sf-express', detected: true };
const named = (carrier: string) => ({ trackingNumber: NUMBER, carrier, detected: false });

test('without a carrier any tracking of the number will do', () => {
  const known = [tracking('ups', false), tracking('yto', true)];
  expect(findKnown(bare, known)).toBe(known[1]);
  expect(findKnown(bare, known.slice(0, 1))).toBe(known[0]);
  expect(findKnown({ ...bare, trackingNumber: 'OTHER' }, known)).toBeUndefined();
});

test('a named carrier is another tracking, unless the known one is undecided', () => {
  expect(findKnown(named('ups'), [tracking('yto', true)])).toBeUndefined();
  const open = tracking('sf-express', true, undecided);
  expect(findKnown(named('ups'), [open])).toBe(open);
  const both = [open, tracking('ups', false)];
  expect(findKnown(named('ups'), both)).toBe(both[1]);
});

test('a carrier that has since been named is decided, whatever else is stored', () => {
  expect(findKnown(named('ups'), [tracking('sf-express', false, undecided)])).toBeUndefined();
});

test('each new tracking is charged once, and a number without a carrier belongs to its named one', () => {
  const [first, second] = [{ ...bare }, { ...bare }];
  expect([...newOnes([first, second], [])]).toEqual([first]);
  const [ups, dhl] = [named('ups'), named('dhl')];
  expect([...newOnes([first, ups, dhl, { ...ups }], [])]).toEqual([ups, dhl]);
  expect(newOnes([ups], [tracking('sf-express', true, undecided)]).size).toBe(0);
});
