import fc from 'fast-check';
import { chooseCarrier } from './choose-carrier.ts';

const off = { sandbox: false };
const on = { sandbox: true };

test.each([
  ['YT6140382715904', 'yto', 'its form is its own'],
  ['238401736590', 'sf-express', 'a legacy number is tracked rather than refused'],
  ['638401736592', 'zto', 'a range that was ZTO’s'],
  ['202840173652', 'zto-freight', 'a weak prefix beats a shared length'],
  ['303684017365', '4px', 'a weak prefix beats a shared length'],
  ['448401736591', 'sf-express', 'Purolator numbers rarely begin so, whatever the check digit'],
  ['783519204649', 'fedex', 'a check digit beats a length'],
])('%s is registered under %s: %s', (number, carrier) => {
  expect(chooseCarrier(number, off).carrier).toBe(carrier);
});

test('a number that only a length speaks for is not detectable', () => {
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
])('%s, a number with digits missing, is nobody’s', (number) => {
  expect(chooseCarrier(number, off).carrier).toBeNull();
});

test('a number without any candidate is not detectable', () => {
  expect(chooseCarrier('QWERTYU', off)).toEqual({ carrier: null, isSure: false, candidates: [] });
});

test('what is not detectable goes to the sandbox where it is enabled', () => {
  expect(chooseCarrier('QWERTYU', on)).toEqual({ carrier: 'sandbox', isSure: false, candidates: [] });
  expect(chooseCarrier('284017365', on).carrier).toBe('sandbox');
  expect(chooseCarrier('YT6140382715904', on).carrier).toBe('yto');
});

test.each(['EA407182539CN', '1Z7K3R950361840279', '9400111899501738462018', '00340434028401736593'])(
  '%s has a wrong check digit: it is suggested, not registered',
  (number) => {
    const { carrier, isSure, candidates } = chooseCarrier(number, off);
    expect([carrier, isSure]).toEqual([null, false]);
    expect(candidates[0]?.confidence).toBeLessThanOrEqual(30);
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

test('sure is from 70 on and 10 ahead of every other candidate', () => {
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
