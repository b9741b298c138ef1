import { PROVIDERS } from '@pts/carriers/providers/index';
import { settingsOf } from '@pts/carriers/providers/manifest';
import { JOBS } from '@pts/queue/catalog';
import { SETTINGS } from '@pts/runtime/settings/settings';
import { Ajv } from 'ajv';
import { compatV4 } from '../apps/api/src/compat-v4.ts';
import { operations, operatorOperations } from '../apps/api/src/endpoints/index.ts';

// Processes compile their schemas without this check, which would take time at each start.
test.each<[string, object]>([
  ...[...operations, ...operatorOperations, ...compatV4].flatMap((each): [string, object][] => [
    [`the request of ${each.method} ${each.path}`, each.request],
    [`the response of ${each.method} ${each.path}`, 'line' in each ? each.line : each.response],
  ]),
  ...Object.entries(JOBS).map(([job, { schema }]): [string, object] => [`the payload of the job ${job}`, schema]),
  ...[...Object.values(SETTINGS), ...PROVIDERS.flatMap(settingsOf)].map(({ env, schema }): [string, object] => [
    `the setting ${env}`,
    schema,
  ]),
])('%s has a valid JSON Schema', (_of, schema) => {
  const ajv = new Ajv();
  ajv.validateSchema(schema);
  expect(ajv.errors ?? []).toEqual([]);
});
