import type { Provider } from '@pts/carriers/provider';
import { ServiceError } from '@pts/core/errors';
import { textMatching } from '@pts/testing/text-matching';
import { detectCarrier } from '../couriers.ts';
import { filterFaults } from '../shipments.ts';
import { chooseCarrierFor, courierFaults, numberFaults } from './register.ts';

const LIMITS = { batchSize: 1, callsPerSecond: 1, concurrency: 1, floorSeconds: 0 };

function serving(...carriers: string[]) {
  const provider: Provider = { name: 'some', limits: LIMITS, serves: (carrier) => carriers.includes(carrier) };
  return { providers: [provider], sandbox: false };
}

function refusalOf(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('it was not refused');
}

test('a served carrier is preferred to one without a provider, for registration and detection', async () => {
  const ctx = serving('danniao');
  expect(chooseCarrierFor(ctx, '621840273615948', {})).toMatchObject({
    carrier: 'danniao',
    candidates: [{ carrier: 'danniao', provider: 'some' }],
  });
  expect((await detectCarrier(ctx, { tracking_number: '621840273615948' })).carrier).toBe('danniao');
});

test.each([
  ['420000000000.0', 'read the column as text (in pandas, dtype=str)'],
  ['4.2E+11', 'format the column as text'],
  ['123456789012\n123456789013', 'must be one number, but has several: send each as a separate item'],
  ['4200', 'must have 5 to 50 letters and digits'],
  ['Tracking number', 'has no digit'],
])('%s is no number, and the refusal says what to do', (number, message) => {
  expect(numberFaults({ tracking_number: number })).toMatchObject([{ message: textMatching(message) }]);
});

test('a carrier that the merchant names is certain, and does not change', () => {
  const ctx = serving('danniao', 'cainiao');
  const chosen = chooseCarrierFor(ctx, '621840273615948', { courier_code: 'cainiao' });
  expect(chosen).toMatchObject({ carrier: 'cainiao', detected: false });
  expect(chosen.candidates).toBeUndefined();
});

test('a number with a wrong check digit is refused with the reason, unless the merchant names its carrier', () => {
  const ctx = serving('ups');
  const { fields } = refusalOf(() => chooseCarrierFor(ctx, '1Z7K3R950361840279', {}));
  expect(fields).toMatchObject([{ field: 'courier_code', message: textMatching(/UPS.*check digit is wrong/) }]);
  expect(chooseCarrierFor(ctx, '1Z7K3R950361840279', { courier_code: 'ups' }).carrier).toBe('ups');
});

test('a refusal names the carrier that no provider serves, and the other candidates', () => {
  const error = refusalOf(() => chooseCarrierFor(serving('ups'), '621840273615948', {}));
  expect(error.error).toBe('carrier_undetected');
  expect(error.message).toMatch(/Cainiao.*\(cainiao\).*has no provider for that carrier.*\(fedex\).*\(danniao\)/);
  expect(refusalOf(() => chooseCarrierFor(serving('ups'), 'TBA284017365928', {})).message).toMatch(/\(amazon\)/);
});

test('a number with a wrong check digit for one carrier is checked at another whose form matches', () => {
  const ctx = serving('fedex', 'sto');
  const { carrier, candidates } = chooseCarrierFor(ctx, '783519204648', {});
  expect(carrier).toBe('sto');
  expect(candidates).toEqual([{ carrier: 'sto', provider: 'some' }]);
});

test('a free provider comes before one that charges, and a carrier whose required phone number is missing comes last', () => {
  const provider = (name: string, cost: 'free' | 'per call', carriers: string[]): Provider => ({
    name,
    cost,
    limits: LIMITS,
    serves: (carrier) => carriers.includes(carrier),
    requires: (carrier) => (carrier === 'sf-express' ? ['phone'] : []),
  });
  const providers = [provider('paid', 'per call', ['sf-express', 'sto']), provider('own', 'free', ['yto'])];
  const ctx = { providers, sandbox: false };
  const codes = (given: object) =>
    chooseCarrierFor(ctx, '773012345678', given).candidates?.map(({ carrier }) => carrier);
  expect(codes({})).toEqual(['yto', 'sto', 'sf-express']);
  expect(codes({ phone: '5678' })).toEqual(['yto', 'sf-express', 'sto']);
});

test.each(['YTO Express', ' yto express', '圆通速递'])(
  'in place of a code, the name %s is refused with the code',
  (name) => {
    const message = 'must be a code, not a name: YTO Express is yto';
    const ctx = { sandbox: false };
    expect(courierFaults(ctx, { courier_code: name })).toEqual([
      { field: 'courier_code', message, error: 'unknown_courier' },
    ]);
    expect(filterFaults(ctx, { carrier: name })).toEqual([{ field: 'carrier', message, error: 'invalid_field' }]);
    expect(courierFaults(ctx, { courier_code: 'yto' })).toEqual([]);
  },
);

test.each([
  [{ destination_country: 'KR' }, 'cj-logistics'],
  [{ destination_country: 'jp' }, 'yamato'],
  [{ phone: '+82 10-2840-1736' }, 'cj-logistics'],
  [{ phone: '0081 90 2840 1736' }, 'yamato'],
  [{ destination_country: 'DE', phone: '5678' }, 'sf-express'],
  [{}, 'sf-express'],
])('twelve digits with %j are first queried at %s, and the usual carrier keeps a place', (given, carrier) => {
  const ctx = serving('sf-express', 'zto', 'sto', 'yto', 'yamato', 'sagawa', 'cj-logistics', 'hanjin', 'lotte');
  const { carrier: chosen, candidates = [] } = chooseCarrierFor(ctx, '353563075655', given);
  const codes = candidates.map((candidate) => candidate.carrier);
  expect([chosen, codes[0]]).toEqual([carrier, carrier]);
  expect(codes).toHaveLength(4);
  expect(codes).toContain('sf-express');
});
