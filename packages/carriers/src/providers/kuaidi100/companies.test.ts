import { carriers, findCarrier } from '../../registry/registry.ts';
import { COMPANIES, carrierOf, companyOf } from './companies.ts';
import { ALSO } from './other-companies.ts';

test('no two carriers share a code, so that an answer’s code identifies ours', () => {
  const codes = Object.values(COMPANIES);
  expect(codes).toEqual([...new Set(codes)]);
});

test.each([
  ['yanwen', 'UV619408274YP', 'yw56'],
  ['dhl', '4617302852', 'dhlen'],
  ['ups', '1Z7K3R950361840278', 'upsen'],
  ['china-post', '9820461935827', 'youzhengguonei'],
  ['china-post', 'RC518203648CN', 'chinapost'],
  ['postnord', 'UD384601711SE', 'postenab'],
  ['postnord', 'CT803519423DK', 'postdanmarken'],
  ['posti', 'JB562038177FI', 'finland'],
  ['posten-norge', 'RR419753207NO', 'postennorge'],
  ['pos-malaysia', 'EE184039275MY', 'malaysiaems'],
])('for %s, %s is queried as %s, and an answer under that name belongs to it', (carrier, number, company) => {
  expect(companyOf(carrier, number)).toBe(company);
  expect(carrierOf(company)).toBe(carrier);
});

test.each(['cainiao', 'royal-mail', 'yamato', 'gofo', 'amazon', 'nobody'])('%s has no code', (carrier) => {
  expect(companyOf(carrier, '284017365928')).toBeUndefined();
});

test('a code that belongs to none of our carriers names none', () => {
  expect(carrierOf('cainiao')).toBeNull();
});

test('most posts can be tracked', () => {
  const posts = carriers({ sandbox: false }).filter(({ type }) => type === 'globalpost');
  expect(posts.filter(({ code }) => code in COMPANIES).length).toBeGreaterThan(posts.length / 2);
});

test.each([
  ['ups', 'ups'],
  ['dhl', 'dhl'],
  ['fedexus', 'fedex'],
  ['japanpost', 'japan-post'],
  ['dpdgermany', 'dpd'],
  ['emsinten', 'china-ems-international'],
])('an answer in the name of %s, another service or country of it, is %s’s', (company, carrier) => {
  expect(carrierOf(company)).toBe(carrier);
});

test('every carrier that a company stands for is ours, and its main company comes before its others', () => {
  for (const carrier of [...Object.keys(COMPANIES), ...Object.keys(ALSO)])
    expect(findCarrier(carrier, { sandbox: false })?.code).toBe(carrier);
  for (const [carrier, company] of Object.entries(COMPANIES)) expect(carrierOf(company)).toBe(carrier);
});
