import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiDocument } from '../../apps/api/src/endpoints/index.ts';
import { testWith } from '../support/languages/languages.ts';

/** Published operations. Code calls them by these names, so none may be removed or renamed. */
const PUBLISHED = [
  ...['registerWebhook', 'testWebhook', 'listDeliveries', 'explainDelivery', 'redeliver', 'listWebhooks'],
  ...['updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'checkWebhook', 'startReplay', 'listReplays'],
  ...['cancelReplay', 'createTracking', 'getTrackings', 'createTrackings', 'submitTrackings', 'streamBatch'],
  ...['listShipments', 'retrackTracking', 'retrackByNumber', 'getTracking', 'updateTracking', 'deleteTracking'],
  ...['explainTracking', 'listEvents', 'detectCarrier', 'detectCourier', 'listCouriers', 'getMe', 'getAccount'],
  ...['onTrackingUpdate', 'onTrackingDelivered', 'onTrackingException', 'onPing', 'receiveCallback'],
];

test('the document keeps the names of its operations', () => {
  const ids = [...JSON.stringify(apiDocument()).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
  expect(ids).toEqual(expect.arrayContaining(PUBLISHED));
});

type Generator = {
  name: string;
  find(): string[] | null;
  check(command: string[], document: string, folder: string): Promise<void>;
};
/** The build scripts are JavaScript. */
const { GENERATORS } = (await import(join(import.meta.dirname, '../../scripts/clients/generators.mjs'))) as {
  GENERATORS: Generator[];
};

for (const { name, find, check } of GENERATORS) {
  const command = find();
  const lacks = command === null ? 'it is not installed' : undefined;
  testWith(
    name,
    lacks,
    `${name} generates code that compiles`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pts-openapi-'));
      try {
        const file = join(folder, 'openapi.json');
        writeFileSync(file, JSON.stringify(apiDocument('https://tracking.example.cn')));
        mkdirSync(join(folder, 'code'));
        await check(command ?? [], file, join(folder, 'code'));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    900_000,
  );
}
