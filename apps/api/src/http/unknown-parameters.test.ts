import { compatV4 } from '../compat-v4.ts';
import { operations } from '../endpoints/index.ts';
import { unknownParameters } from './validate.ts';

function refusedBy(id: string, query: Record<string, string>) {
  const entry = operations.find(({ doc }) => doc.id === id);
  if (entry === undefined) throw new Error(`there is no operation ${id}`);
  return unknownParameters(entry)(query).map(({ field, message }) => `${field} ${message}`);
}

// biome-ignore format: one parameter per line is readable as a table
test.each<[operation: string, sent: string, message: string]>([
  ['listShipments', 'Status', 'is unknown: send it as status'],
  ['listShipments', 'staus', 'is unknown: send it as status'],
  ['listShipments', 'createdAfter', 'is unknown: send it as created_after'],
  ['listShipments', 'page', 'is unknown: send it as cursor'],
  ['listShipments', 'courierCode', 'is unknown: send it as carrier'],
  ['listShipments', 'tracking_number', 'is unknown: send it as q'],
  ['listShipments', 'q[]', 'is unknown: send it as q'],
  ['listShipments', 'colour', 'is unknown: this operation takes status, q, order_id, metadata, carrier, created_after, created_before, updated_after, updated_before, needs_attention, sort, count, limit, cursor, ids, lang, include'],
  ['exportShipments', 'limit', 'is unknown: this operation takes status, q, order_id, metadata, carrier, created_after, created_before, updated_after, updated_before, needs_attention, sort, include'],
  ['listEvents', 'cursor', 'is unknown: send it as after'],
  ['streamEvents', 'limit', 'is unknown: this operation takes after, last'],
  ['listDeliveries', 'page', 'is unknown: send it as before'],
  ['listDeliveries', 'webhookId', 'is unknown: send it as webhook_id'],
  ['createTracking', 'dry_run', 'is unknown in the address: send it in the body'],
  ['createTrackings', 'dryRun', 'is unknown: send it as dry_run'],
  ['submitTrackings', 'dry_run', 'is unknown: this operation takes no parameters'],
  ['getTracking', 'id', 'is unknown: it is part of the path'],
  ['listCouriers', 'constructor', 'is unknown: this operation takes no parameters'],
])('%s: %s %s', (operation, sent, message) => {
  expect(refusedBy(operation, { [sent]: '1' })).toEqual([`${sent} ${message}`]);
});

test('a parameter that was sent in place of a missing one is reported with that one only', () => {
  expect(refusedBy('getTrackings', { trackingNumbers: 'A12345' })).toEqual([]);
  expect(refusedBy('getTrackings', { tracking_numbers: 'A12345', tracking_number: 'B12345' })).toHaveLength(1);
});

test.each(operations.map((entry) => [entry.doc.id, entry]))(
  '%s: what a cache is avoided with, and a language, are let through',
  (_id, entry) => {
    expect(unknownParameters(entry)({ _: '1763688852', _nocache: '1', lang: 'de' })).toEqual([]);
  },
);

test.each(compatV4.map((entry) => [entry.path, entry]))('%s of version 4 ignores what it does not know', (_, entry) => {
  expect(unknownParameters(entry)({ page: '2', courierCode: 'yto' })).toEqual([]);
});
