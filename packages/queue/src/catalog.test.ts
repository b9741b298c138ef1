import { Ajv } from 'ajv';
import { JOBS } from './catalog.ts';

// Workers compile them without this check, which would take time at each start.
test.each(Object.entries(JOBS))('the payload of %s has a valid JSON Schema', (_job, { schema }) => {
  const ajv = new Ajv();
  ajv.validateSchema(schema);
  expect(ajv.errors ?? []).toEqual([]);
});
