import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { failureOf, meaningOf, parseStatusDocuments } from './parse.ts';

testFixtures(import.meta.url, parseStatusDocuments, 'nova-poshta');

const ask = (body: unknown, status = 200, numbers = ['A1']) =>
  parseStatusDocuments(
    response(body, status),
    numbers.map((number) => ({ number, carrier: 'nova-poshta' })),
  );

// biome-ignore format: one status per line is readable as a table
test.each([
  ['1', 'info_received'], ['2', 'exception'], ['4', 'in_transit'], ['41', 'in_transit'], ['6', 'in_transit'],
  ['7', 'available_for_pickup'], ['9', 'delivered'], ['11', 'delivered'], ['101', 'out_for_delivery'],
  ['102', 'exception'], ['105', 'undeliverable'], ['106', 'delivered'], ['111', 'exception'], ['999', undefined],
])('the status %s is %s', (code, status) => {
  expect(meaningOf(code)?.status).toBe(status);
});

test.each([
  ['2031-08-03 00:22:47', '2031-08-02T21:22:47Z'],
  ['03-08-2031 00:22:47', '2031-08-02T21:22:47Z'],
  ['03.02.2031 00:22:47', '2031-02-02T22:22:47Z'],
])('%s in Ukraine is %s', (TrackingUpdateDate, time) => {
  const data = [{ Number: 'A1', StatusCode: 5, Status: 'Відправлення прямує', TrackingUpdateDate }];
  expect(ask({ success: true, data })).toMatchObject([{ scans: [{ time, status: 'in_transit' }] }]);
});

test('a status without a time is that of the parcel', () => {
  const data = [{ Number: 'A1', StatusCode: '7', Status: 'Прибув на відділення', TrackingUpdateDate: '' }];
  expect(ask({ success: true, data })).toEqual([{ kind: 'found', scans: [], parcelStatus: 'available_for_pickup' }]);
});

test('the estimate is in the time of Ukraine', () => {
  const [answer] = ask(readFixture(import.meta.url, 'batch.json'), 200, ['20450059800715']);
  expect(answer).toMatchObject({
    estimatedDelivery: { from: '2031-08-03T15:00:00Z', to: '2031-08-03T15:00:00Z' },
    destination: 'Полтава, UA',
  });
});

test.each([
  ['API key is not specified', 'auth'],
  ['API key expired', 'auth'],
  ['To many requests', 'rate_limited'],
  ['Document number is not correct', 'invalid_number'],
  ['Service is unavailable', 'temporary'],
])('the error "%s" is %s', (error, failure) => {
  expect(failureOf(error)).toBe(failure);
  expect(ask({ success: false, data: [], errors: [error] })).toMatchObject([{ failure }]);
});

test('a number at fault among several is found by dividing the call', () => {
  const body = { success: false, data: [], errors: ['Document number is not correct'] };
  expect(ask(body, 200, ['A1', 'B2'])).toMatchObject([{ isOfOne: true }, { isOfOne: true }]);
});

test.each([
  [200, {}, 'unreadable'],
  [429, {}, 'rate_limited'],
  [500, {}, 'transient'],
])('HTTP %i %j is %s', (status, body, failure) => {
  expect(ask(body, status)).toMatchObject([{ failure }]);
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Відділення №1: вул. Липова, 22', { name: 'Відділення №1', address: 'вул. Липова, 22, Полтава' }],
  ['Поштомат "Нова Пошта" №5413: просп. Миру, 4 (під’їзд 2)', { name: 'Поштомат "Нова Пошта" №5413', address: 'просп. Миру, 4 (під’їзд 2), Полтава' }],
  ['Відділення №12', { name: 'Відділення №12' }],
  ['Адресна доставка', undefined],
  ['', undefined],
])('the branch "%s" is the pick-up point %j', (WarehouseRecipient, pickupPoint) => {
  const [answer] = ask({ success: true, data: [{ Number: 'A1', StatusCode: '7', CityRecipient: 'Полтава', WarehouseRecipient }] });
  expect(answer).toEqual(expect.objectContaining({ kind: 'found', ...(pickupPoint && { pickupPoint }) }));
  if (!pickupPoint) expect(answer).not.toHaveProperty('pickupPoint');
});
