import fc from 'fast-check';
import { mod7 } from './check-digits.ts';
import { chooseCarrier } from './choose-carrier.ts';

/** As many as are checked one after another. */
const FIRST = 4;
const JAPANESE = ['yamato', 'sagawa', 'japan-post'];
/** These prefixes mark a carrier of their own, so that fewer places remain. */
const MARKED = /^(?:202|30)/;

const withCheckDigit = (serial: string) => serial + (Number(serial) % 7);
const serials = fc.stringMatching(/^\d{11}$/).filter((serial) => !MARKED.test(serial));
const first = (number: string, serves: (carrier: string) => boolean = () => true) =>
  chooseCarrier(number, { sandbox: false, serves })
    .undecided.slice(0, FIRST)
    .map(({ carrier }) => carrier);
const withoutPurolator = (carrier: string) => carrier !== 'purolator';

test('a valid check digit puts the three carriers of Japan among the four that are checked, whatever the serial', () => {
  fc.assert(
    fc.property(serials, (serial) => {
      expect(first(withCheckDigit(serial), withoutPurolator)).toEqual(expect.arrayContaining(JAPANESE));
    }),
  );
});

test('a wrong one leaves them out', () => {
  fc.assert(
    fc.property(serials, fc.integer({ min: 1, max: 9 }), (serial, by) => {
      const number = `${serial}${((Number(serial) % 7) + by) % 10}`;
      fc.pre(!mod7(number));
      const candidates = chooseCarrier(number, { sandbox: false }).candidates.map(({ carrier }) => carrier);
      expect(candidates.filter((carrier) => JAPANESE.includes(carrier))).toEqual([]);
    }),
  );
});

test.each(['18401736592', '47618203945', '28391746502', '55820174639', '90413728561'])(
  '%s and its check digit is registered under the likeliest carrier, not certain of any',
  (serial) => {
    const { carrier, isSure, candidates } = chooseCarrier(withCheckDigit(serial), { sandbox: false });
    expect(isSure).toBe(false);
    expect(carrier).toBe(candidates[0]?.carrier);
  },
);

test('a valid check digit of FedEx comes before it, and SF before what only has the length', () => {
  expect(first('783519204649')[0]).toBe('fedex');
  expect(first(withCheckDigit('18401736592'))).toEqual(['japan-post', 'yamato', 'sagawa', 'sf-express']);
});

test.each([
  ['the whole number', '184017365', '18401736592'],
  ['the serial behind two digits', '284017365', '28401736595'],
])('CJ Logistics: the check digit is that of %s', (_what, ten, twelve) => {
  const digitOf = (serial: string) => Number(_what === 'the whole number' ? serial : serial.slice(2)) % 7;
  for (const serial of [ten, twelve]) {
    const { candidates } = chooseCarrier(serial + digitOf(serial), { sandbox: false });
    expect(candidates.map(({ carrier }) => carrier)).toContain('cj-logistics');
  }
});
