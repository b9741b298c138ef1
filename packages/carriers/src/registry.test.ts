import { carriers, findCarrier } from './registry.ts';

const all = carriers({ sandbox: false });

test('the 46 carriers have codes of their own', () => {
  expect(all).toHaveLength(46);
  expect(new Set(all.map(({ code }) => code)).size).toBe(46);
});

test.each(all.map((carrier) => [carrier.code, carrier] as const))('%s is a complete record', (code, carrier) => {
  expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(carrier.name).not.toBe('');
  expect(carrier.nameZh).not.toBe('');
  expect(carrier.country).toMatch(/^[A-Z]{2}$/);
  expect(carrier.url).toMatch(/^https:\/\//);
});

test('SF and ZTO, and nobody else, want a phone', () => {
  const wanting = all.filter(({ requiredFields }) => requiredFields.includes('phone'));
  expect(wanting.map(({ code }) => code)).toEqual(['sf-express', 'zto']);
});

test('a carrier is found by its code', () => {
  expect(findCarrier('old-dominion', { sandbox: false })).toMatchObject({ country: 'US', type: 'freight' });
  expect(findCarrier('nobody', { sandbox: true })).toBeUndefined();
});

test('the sandbox carrier exists only where the sandbox is enabled', () => {
  expect(findCarrier('sandbox', { sandbox: false })).toBeUndefined();
  expect(all.some(({ code }) => code === 'sandbox')).toBe(false);
  expect(findCarrier('sandbox', { sandbox: true })?.code).toBe('sandbox');
  expect(carriers({ sandbox: true }).at(-1)?.code).toBe('sandbox');
});
