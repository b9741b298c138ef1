import fc from 'fast-check';
import type { Cost } from '../provider.ts';
import { type Askable, askOrder, chooseCarrier } from './choose-carrier.ts';

const off = { sandbox: false };
const on = { sandbox: true };

test.each([
  ['YT6140382715904', 'yto', 'its form is its own'],
  ['238401736590', 'sf-express', 'a legacy number is tracked rather than refused'],
  ['638401736592', 'zto', 'a range that was ZTO’s'],
  ['202840173652', 'zto-freight', 'a weak prefix beats a shared length'],
  ['303684017365', '4px', 'a weak prefix beats a shared length'],
  ['448401736500', 'sf-express', 'Purolator numbers rarely begin so, whatever the check digit'],
  ['783519204649', 'fedex', 'a check digit beats a length'],
])('%s is registered under %s: %s', (number, carrier) => {
  expect(chooseCarrier(number, off).carrier).toBe(carrier);
});

test('a number that matches only by its length is not detectable', () => {
  const { carrier, candidates } = chooseCarrier('284017365', off);
  expect(carrier).toBeNull();
  expect(candidates.map((candidate) => candidate.carrier)).toContain('deppon');
});

test.each([
  'SF1284017365',
  'YT284017365928',
  'YT28401736592840',
  'JT284017365',
  'JD2840173659',
  'JDVA2840173659',
  'STO284017365',
  'LP2840173659284',
])('%s, a number with digits missing, has no carrier', (number) => {
  expect(chooseCarrier(number, off).carrier).toBeNull();
});

test('a number without any candidate is not detectable', () => {
  expect(chooseCarrier('QWERTYU', off)).toEqual({ carrier: null, isSure: false, candidates: [], undecided: [] });
});

test('an undetectable number goes to the sandbox if it is enabled', () => {
  expect(chooseCarrier('QWERTYU', on)).toEqual({
    carrier: 'sandbox',
    isSure: false,
    candidates: [],
    undecided: [],
  });
  expect(chooseCarrier('284017365', on).carrier).toBe('sandbox');
  expect(chooseCarrier('YT6140382715904', on).carrier).toBe('yto');
});

test.each(['EA407182539CN', '1Z7K3R950361840279', '9400111899501738462018', '00340434028401736593'])(
  '%s has a wrong check digit: it has no candidate',
  (number) => {
    expect(chooseCarrier(number, off)).toEqual({ carrier: null, isSure: false, candidates: [], undecided: [] });
    expect(chooseCarrier(number, on).carrier).toBe('sandbox');
  },
);

test.each([
  ['YT6140382715904', true, 'letters and a length of its own'],
  ['75283940617254', true, 'a prefix that no other carrier of that length has'],
  ['RC518203648CN', true, 'an S10 item'],
  ['238401736590', false, 'twelve digits'],
  ['783519204649', false, 'twelve digits with a check digit'],
  ['1000284017365', false, 'a prefix of two carriers'],
  ['4206270491219196116550295095972130', false, 'FedEx’s check digit behind the routing of USPS'],
  ['QWERTYU', false, 'nobody'],
])('%s is sure: %s, %s', (number, isSure) => {
  expect(chooseCarrier(number, off).isSure).toBe(isSure);
});

test('certain means at least 70, and 10 ahead of every other candidate', () => {
  const number = fc.oneof(fc.stringMatching(/^[A-Z]{2}[A-Z0-9]{8,16}$/), fc.stringMatching(/^\d{8,34}$/));
  fc.assert(
    fc.property(number, (text) => {
      const { carrier, isSure, candidates } = chooseCarrier(text, off);
      const [best, next] = candidates;
      const decides = best !== undefined && best.confidence >= 70 && best.confidence - (next?.confidence ?? 0) >= 10;
      expect(isSure).toBe(decides && carrier === best.carrier);
    }),
  );
});

test('a carrier without a provider is not chosen while another candidate is served', () => {
  const served = (...codes: string[]) => ({ ...off, serves: (carrier: string) => codes.includes(carrier) });
  expect(chooseCarrier('621840273615948', served('danniao')).carrier).toBe('danniao');
  expect(chooseCarrier('621840273615948', served('danniao')).isSure).toBe(false);
  expect(chooseCarrier('621840273615948', served('yto')).carrier).toBe('cainiao');
  expect(chooseCarrier('TBA284017365928', served('yto')).carrier).toBe('amazon');
  expect(chooseCarrier('284017365', served('deppon')).carrier).toBeNull();
});

test('where none is sure, the served candidates with a confidence of at least 10 are checked, best first', () => {
  const serves = (carrier: string) => ['sto', 'sf-express', 'gls', 'yto'].includes(carrier);
  const codes = (number: string) => chooseCarrier(number, { ...off, serves }).undecided.map(({ carrier }) => carrier);
  expect(codes('773012345678')).toEqual(['sf-express', 'sto', 'yto']);
  expect(codes('YT6140382715904')).toEqual([]);
  expect(codes('TBA284017365928')).toEqual([]);
});

describe('a learned carrier', () => {
  const choose = (number: string, finds: Record<string, number>) => chooseCarrier(number, { ...off, finds });
  const requested = (number: string, finds: Record<string, number>) => choose(number, finds).undecided[0]?.carrier;

  test('is checked first among the candidates that the form allows', () => {
    expect(requested('773012345678', { sto: 2, yto: 1 })).toBe('sto');
    expect(requested('773012345678', { ups: 40, 'sf-express': 1 })).toBe('sf-express');
  });

  test('does not change the key of the registration', () => {
    expect(choose('773012345678', { sto: 2, yto: 1 }).carrier).toBe('sf-express');
  });

  test('makes a number sure after five finds, if nine in ten are of one carrier', () => {
    expect(choose('773012345678', { sto: 9, yto: 1 })).toMatchObject({ carrier: 'sto', isSure: true, undecided: [] });
    expect(choose('773012345678', { sto: 4.9 }).isSure).toBe(false);
    expect(choose('773012345678', { sto: 8, yto: 1 }).isSure).toBe(false);
  });

  test('does not override a check digit: neither a wrong one nor a valid one of another carrier', () => {
    expect(choose('9400111899501738462018', { usps: 100 })).toMatchObject({ carrier: null, isSure: false });
    expect(choose('783519204649', { zto: 100 })).toMatchObject({ isSure: false });
    expect(choose('783519204649', { fedex: 100 })).toMatchObject({ carrier: 'fedex', isSure: true });
  });

  test('adds no other form, and never makes an unserved carrier certain', () => {
    expect(choose('773012345678', { ups: 100 })).toMatchObject({ carrier: 'sf-express', isSure: false });
    const serves = (carrier: string) => carrier === 'yto';
    expect(chooseCarrier('773012345678', { ...off, serves, finds: { sto: 100 } })).toMatchObject({
      carrier: 'yto',
      isSure: false,
      undecided: [{ carrier: 'yto' }],
    });
  });

  test('never changes a carrier that is certain by form, and never raises a candidate to 70', () => {
    const number = fc.oneof(fc.stringMatching(/^[A-Z]{2}[A-Z0-9]{8,16}$/), fc.stringMatching(/^\d{8,34}$/));
    fc.assert(
      fc.property(number, fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 50 }), (text, index, count) => {
        const before = chooseCarrier(text, off);
        const carrier = before.candidates[index]?.carrier ?? 'ups';
        const after = chooseCarrier(text, { ...off, finds: { [carrier]: count } });
        if (before.isSure) expect(after).toMatchObject({ carrier: before.carrier, isSure: true });
        const raw = new Map(before.candidates.map((candidate) => [candidate.carrier, candidate.confidence]));
        for (const { carrier: code, confidence } of after.candidates)
          expect(confidence).toBeLessThanOrEqual(Math.max(69, raw.get(code) ?? 0));
      }),
    );
  });
});

const askable = (carrier: string, confidence: number, cost: Cost = 'free', lacksInput = false): Askable => ({
  carrier,
  confidence,
  cost,
  lacksInput,
});
const order = (...candidates: Askable[]) => askOrder(candidates, 4).map(({ carrier }) => carrier);

test('the likeliest comes first', () => {
  expect(order(askable('b', 20), askable('a', 40), askable('c', 15))).toEqual(['a', 'b', 'c']);
});

test('a free provider comes before one that charges if the carriers are about equally likely', () => {
  const number = askable('a', 29, 'per number');
  const call = askable('b', 25, 'per call');
  const free = askable('c', 20);
  expect(order(number, call, free)).toEqual(['c', 'b', 'a']);
});

test('a much likelier carrier comes first, whatever it costs', () => {
  expect(order(askable('a', 50, 'per number'), askable('b', 40), askable('c', 31))).toEqual(['a', 'b', 'c']);
});

test('a carrier that requires a missing field comes last', () => {
  expect(order(askable('a', 60, 'free', true), askable('b', 12), askable('c', 58, 'free', true))).toEqual([
    'b',
    'a',
    'c',
  ]);
});

test('only the likeliest ones are included', () => {
  const five = [60, 48, 36, 24, 12].map((confidence) => askable(`c${confidence}`, confidence));
  expect(order(...five)).toEqual(['c60', 'c48', 'c36', 'c24']);
});
