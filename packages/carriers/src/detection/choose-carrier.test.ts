import { chooseCarrier } from './choose-carrier.ts';

const off = { sandbox: false };
const on = { sandbox: true };

test.each([
  ['YT6140382715904', 'yto', 'its form is its own'],
  ['238401736590', 'sf-express', 'a legacy number is tracked rather than refused'],
  ['638401736592', 'zto', 'a range that was ZTO’s'],
  ['202840173652', 'zto-freight', 'a weak prefix beats a shared length'],
  ['303684017365', '4px', 'a weak prefix beats a shared length'],
  ['EA407182539CN', 'china-ems', 'a mistyped S10 item is still worth asking EMS about'],
])('%s is registered under %s: %s', (number, carrier) => {
  expect(chooseCarrier(number, off).carrier).toBe(carrier);
});

test('a number that only a length speaks for is not detectable', () => {
  const { carrier, candidates } = chooseCarrier('284017365', off);
  expect(carrier).toBeNull();
  expect(candidates.map((candidate) => candidate.carrier)).toContain('deppon');
});

test('a number without any candidate is not detectable', () => {
  expect(chooseCarrier('QWERTYU', off)).toEqual({ carrier: null, candidates: [] });
});

test('what is not detectable goes to the sandbox where it is enabled', () => {
  expect(chooseCarrier('QWERTYU', on)).toEqual({ carrier: 'sandbox', candidates: [] });
  expect(chooseCarrier('284017365', on).carrier).toBe('sandbox');
  expect(chooseCarrier('YT6140382715904', on).carrier).toBe('yto');
});
