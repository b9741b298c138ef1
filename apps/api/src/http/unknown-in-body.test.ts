import { bulkWarnings } from '../endpoints/bulk-items.ts';
import { operations } from '../endpoints/index.ts';
import type { Route } from './operation.ts';
import { unknownInBody, warningsOf } from './validate.ts';

function operationOf(id: string): Route {
  const found = operations.find(({ doc }) => doc.id === id);
  if (found === undefined || !('run' in found)) throw new Error(`there is no operation ${id}`);
  return found;
}

const refusedBy = (id: string, body: Record<string, unknown>) =>
  unknownInBody(operationOf(id))(body).map(({ field, message }) => `${field} ${message}`);

const ID = '69a45f02b1c2d3e4f5061728';

// biome-ignore format: one body per line is readable as a table
test.each<[operation: string, body: Record<string, unknown>, message: string]>([
  ['testWebhook', { webhook_id: ID }, 'webhook_id is unknown: send it as id'],
  ['testWebhook', { webhookId: ID }, 'webhookId is unknown: send it as id'],
  ['testWebhook', { ID }, 'ID is unknown: send it as id'],
  ['testWebhook', { id: ID, kinds: 'stale' }, 'kinds is unknown: send it as kind'],
  ['startReplay', { id: ID, since: '', untill: '' }, 'untill is unknown: send it as until'],
  ['startReplay', { id: ID, since: '', to: '' }, 'to is unknown: send it as until'],
  ['startReplay', { id: ID, since: '', webhook_id: ID }, 'webhook_id is not a field of this request; it has since, until, dry_run'],
  ['updateWebhook', { id: ID, enabled: true, event: ['tracking_delivered'] }, 'event is unknown: send it as events'],
  ['updateWebhook', { id: ID, url: 'https://shop.example', enable: false }, 'enable is unknown: send it as enabled'],
  ['updatePages', { enabled: true, hideCarrier: true }, 'hideCarrier is unknown: send it as hide_carrier'],
  ['updatePages', { enabled: true, embed_origin: [] }, 'embed_origin is unknown: send it as embed_origins'],
  ['createKey', { scopes: ['read'], network: [] }, 'network is unknown: send it as networks'],
  ['bulkStop', { filters: { carrier: 'yto' } }, 'filters is unknown: send it as filter'],
  ['bulkStop', { filter: { carier: 'yto' } }, 'filter.carier is unknown: send it as carrier'],
  ['bulkRedeliver', { filter: { webhookId: ID } }, 'filter.webhookId is unknown: send it as webhook_id'],
])('%s refuses %j', (operation, body, message) => {
  expect(refusedBy(operation, body)).toEqual([message]);
});

test('a test push ignores what is not like one of its fields', () => {
  expect(refusedBy('testWebhook', { id: ID, note: 'from the shop' })).toEqual([]);
});

test('a record can be sent back as it was read', () => {
  const { response } = operationOf('updateWebhook');
  const record = Object.keys((response as { properties: object }).properties);
  expect(refusedBy('updateWebhook', Object.fromEntries(record.map((name) => [name, null])))).toEqual([]);
});

test('only these operations ignore unknown fields: no optional field limits what they do', () => {
  const ignoring = operations.filter((entry) => entry.input === 'body' && !entry.strict).map(({ doc }) => doc.id);
  expect(ignoring.sort()).toEqual(
    [
      // Register: the answer names the carrier that was chosen; a misspelled `dry_run` is refused.
      ...['createTracking', 'createTrackings', 'submitTrackings', 'streamBatch'],
      // An ignored field stays as it is.
      'updateTracking',
      // Names a parcel, and says so where it names several.
      'retrackByNumber',
      // All but `supersede`, which drops deliveries, is required.
      'registerWebhook',
      ...['detectCarrier', 'detectCourier'],
    ].sort(),
  );
});

// biome-ignore format: one field per line is readable as a table
test.each([
  ['carrier', 'courier_code'], ['slug', 'courier_code'], ['carrier_code', 'courier_code'], ['courier', 'courier_code'],
  ['courierCode', 'courier_code'], ['curier_code', 'courier_code'], ['order_number', 'order_id'], ['orderNo', 'order_id'],
  ['zip', 'postal_code'], ['phone_number', 'phone'], ['country', 'destination_country'], ['tittle', 'title'],
])('a registration that has %s is warned to send it as %s', (sent, meant) => {
  const message = `was ignored: send it as ${meant}`;
  const body = { tracking_number: '1Z999AA10123456784', [sent]: 'dhl' };
  expect(warningsOf(operationOf('createTracking'))(body, {})).toEqual({ warnings: [{ field: sent, message }] });
  expect(bulkWarnings([{ tracking_number: 'YT8962646785999' }, body])).toEqual({ warnings: [{ index: 1, field: sent, message }] });
});

test('a field of a number that stands beside the list of a bulk call is named', () => {
  expect(bulkWarnings({ tracking_numbers: ['YT8962646785999'], carrier: 'dhl', colour: 'red' }).warnings).toEqual([
    { field: 'carrier', message: 'was ignored: send it with each number, as courier_code' },
    { field: 'colour', message: 'was ignored: this request has no such field' },
  ]);
});

test('an answer to known fields, and to fields without a value, has no warnings', () => {
  const warned = warningsOf(operationOf('createTracking'));
  expect(
    warned({ tracking_number: 'YT8962646785999', title: 'x', dry_run: true, carrier: null, slug: '' }, {}),
  ).toEqual({});
  expect(bulkWarnings(['YT8962646785999', { tracking_number: 'A12345', dry_run: false }])).toEqual({});
});

test('a changed record is warned only of what it does not show', () => {
  const warned = warningsOf(operationOf('updateTracking'));
  const record = { id: ID, carrier: 'yto', events: [{ location: 'x' }] };
  expect(warned({ ...record, title: 'x' }, record)).toEqual({});
  const warnings = [{ field: 'carrier', message: 'was ignored: send it as courier_code' }];
  expect(warned({ ...record, carrier: 'dhl' }, record)).toEqual({ warnings });
});
