import { toSnakeCase } from './snake-case.ts';

test.each([
  ['phone', 'phone'],
  ['postalCode', 'postal_code'],
  ['aLongName', 'a_long_name'],
])('%s is %s on the wire', (name, onWire) => {
  expect(toSnakeCase(name)).toBe(onWire);
});
