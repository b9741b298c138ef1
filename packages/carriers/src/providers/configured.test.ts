import { configuredProviders, providerFor } from './configured.ts';

const kuaidi100 = { baseUrl: 'https://example.com', customer: 'c', key: 'k' };
const sandboxUrl = 'http://127.0.0.1:4010';
const nameFor = (carrier: string, config: Parameters<typeof configuredProviders>[0]) =>
  providerFor(carrier, configuredProviders(config))?.name;

test('without configuration nobody is asked', () => {
  expect(configuredProviders({})).toEqual([]);
  expect(nameFor('yto', {})).toBeUndefined();
});

test('Kuaidi100 is preferred where it has a code for the carrier; the sandbox catches the rest', () => {
  expect(nameFor('yto', { kuaidi100, sandboxUrl })).toBe('kuaidi100');
  expect(nameFor('gofo', { kuaidi100, sandboxUrl })).toBe('sandbox');
});

test('the sandbox carrier is the sandbox provider’s', () => {
  expect(nameFor('sandbox', { kuaidi100, sandboxUrl })).toBe('sandbox');
  expect(nameFor('sandbox', { kuaidi100 })).toBeUndefined();
});

test('without the sandbox a carrier that Kuaidi100 does not know is not served', () => {
  expect(nameFor('gofo', { kuaidi100 })).toBeUndefined();
});
