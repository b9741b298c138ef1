import { carrierNamed, carriers, findCarrier } from './registry.ts';
import { POST_OF_COUNTRY } from './registry-posts.ts';

const all = carriers({ sandbox: false });

test('every carrier has a unique code', () => {
  expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
});

test('every post is a carrier, at home where its S10 items come from', () => {
  expect(POST_OF_COUNTRY.size).toBeGreaterThanOrEqual(191);
  for (const [country, code] of POST_OF_COUNTRY) {
    expect(findCarrier(code, { sandbox: false })).toMatchObject({ type: 'globalpost' });
    if (country !== 'DK') expect(findCarrier(code, { sandbox: false })).toMatchObject({ country });
  }
});

test.each(all.map((carrier) => [carrier.code, carrier] as const))('%s is a complete record', (code, carrier) => {
  expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(carrier.name).not.toBe('');
  expect(carrier.nameZh).not.toBe('');
  expect(carrier.country).toMatch(/^[A-Z]{2}$/);
  expect(carrier.url).toMatch(/^https:\/\//);
});

test('only SF, its freight and ZTO require a phone number', () => {
  const wanting = all.filter(({ requiredFields }) => requiredFields.includes('phone'));
  expect(wanting.map(({ code }) => code)).toEqual(['sf-express', 'zto', 'sf-freight']);
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

test.each([
  ['圆通速递', 'yto'],
  ['圆通', 'yto'],
  ['韵达快递', 'yunda'],
  ['京东快递', 'jd'],
  ['顺丰', 'sf-express'],
  ['顺丰快运', 'sf-freight'],
  ['安能物流', 'ane'],
  ['安能', 'ane-express'],
  ['SF express ', 'sf-express'],
  ['快递', undefined],
])('the carrier that shops call %s is %s', (name, code) => {
  expect(carrierNamed(name, { sandbox: false })?.code).toBe(code);
});
