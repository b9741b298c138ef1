import { operations } from '../../endpoints/index.ts';
import type { Route } from '../operation.ts';
import { unknownInBody } from './unknown-in-body.ts';

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
  ['startReplay', { id: ID, since: '', to: '' }, 'to is not a field of this request; it has since, until, dry_run'],
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
