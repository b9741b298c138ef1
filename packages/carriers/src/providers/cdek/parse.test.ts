import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { cdek } from './index.ts';
import { meaningOf, outcomeOf, parseOrder } from './parse.ts';

testFixtures(import.meta.url, cdek.parse, 'cdek');

const ask = (body: unknown, status = 200, number = 'A1') =>
  parseOrder(response(body, status), { number, carrier: 'cdek' });
const order = (...statuses: object[]) => ({ entity: { cdek_number: 'A1', statuses } });

// biome-ignore format: one status per line is readable as a table
test.each([
  ['CREATED', 'Создан', 'info_received'],
  ['REMOVED', 'Удален', 'exception'],
  ['RETURNED_TO_SENDER_WAREHOUSE', 'Возвращен на склад отправителя', 'in_transit'],
  ['ACCEPTED_AT_PICK_UP_POINT', 'Принят на склад до востребования', 'available_for_pickup'],
  ['POSTOMAT_POSTED', 'Заложен в постамат', 'available_for_pickup'],
  ['POSTOMAT_SEIZED', 'Изъят из постамата курьером', 'in_transit'],
  ['TAKEN_BY_COURIER', 'Выдан на доставку', 'out_for_delivery'],
  ['RETURNED_TO_RECIPIENT_CITY_WAREHOUSE', 'Возвращен на склад доставки', 'exception'],
  ['DELIVERED', 'Вручен', 'delivered'],
  ['NOT_DELIVERED', 'Не вручен', 'undeliverable'],
  ['NEW_CODE', 'Вручен', 'delivered'],
  ['NEW_CODE', 'Что-то новое', 'in_transit'],
])('%s "%s" is %s', (code, name, status) => {
  expect(ask(order({ code, name, date_time: '2031-05-02T10:00:00+0300' }))).toMatchObject({
    scans: [{ status, time: '2031-05-02T07:00:00Z', zoneSource: 'carrier' }],
  });
});

test('unknown codes have no meaning of their own', () => {
  expect(meaningOf('NEW_CODE')).toBeUndefined();
});

test('the estimate is a day until the order was delivered', () => {
  const body = JSON.parse(readFixture(import.meta.url, 'delivered.json'));
  const { delivery_detail: _, ...entity } = body.entity;
  expect(ask({ entity }, 200, '1106153405')).toMatchObject({
    estimatedDelivery: { from: '2031-05-06', to: '2031-05-06' },
    destination: 'Казань, Татарстан, RU',
  });
  expect(ask(body, 200, '1106153405')).not.toHaveProperty('estimatedDelivery');
});

test.each([
  ['v2_entity_not_found', 'not_found'],
  ['v2_order_not_found', 'not_found'],
  ['v2_entity_forbidden', 'not_found'],
  ['v2_token_expired', 'auth'],
  ['v2_internal_error', 'temporary'],
  ['v2_field_value_invalid', 'invalid_number'],
  ['', 'unreadable'],
])('the error %s is %s', (code, outcome) => {
  expect(outcomeOf(code)).toBe(outcome);
});

test.each([
  [200, {}, 'unreadable'],
  [400, { errors: [{ code: 'v2_field_value_invalid' }] }, 'invalid_number'],
  [401, {}, 'auth'],
  [429, {}, 'rate_limited'],
  [503, '<html>', 'transient'],
])('HTTP %i %j is %s', (status, body, failure) => {
  expect(ask(body, status)).toMatchObject({ failure });
});
