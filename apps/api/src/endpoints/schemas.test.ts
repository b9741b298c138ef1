import { Ajv } from 'ajv';
import { compatV4 } from '../compat-v4/endpoints.ts';
import { operations } from './index.ts';

// The API compiles them without this check, which would take time at each start.
test.each([...operations, ...compatV4].map((each) => [`${each.method} ${each.path}`, each] as const))(
  '%s: its schemas are valid JSON Schemas',
  (_operation, each) => {
    const ajv = new Ajv();
    for (const schema of [each.request, 'line' in each ? each.line : each.response]) {
      ajv.validateSchema(schema);
      expect(ajv.errors ?? []).toEqual([]);
    }
  },
);
