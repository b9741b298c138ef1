import { PROVIDERS } from '@pts/carriers/providers/index';
import { credential, defineProvider } from '@pts/carriers/providers/manifest';
import { COMMAND, PARTS, withPart } from '../scripts/parts/settings-files.ts';
import { read } from './deployment/repository.ts';

test.each(PARTS.map((part) => [part.path, part] as const))(`%s matches the output of ${COMMAND}`, (path, part) => {
  expect(read(path)).toBe(withPart(read(path), part, PROVIDERS));
});

const added = defineProvider({
  name: 'acme',
  title: 'ACME',
  about: 'the tracking API of ACME',
  capabilities: ['read'],
  cost: 'per call',
  carriers: { yto: 'Y' },
  requires: {},
  settings: {
    token: credential('ACME_TOKEN', 'your token at ACME', 'https://acme.example', { verifiesCallbacks: true }),
  },
  limits: {
    batchSize: 1,
    concurrency: 1,
    callsPerSecond: 3,
    floorSeconds: 0,
  },
  answers: 'JSON',
  parse: () => [],
  connect: () => ({ ask: async () => [] }),
});

test.each(PARTS.map((part) => [part.path, part] as const))(
  'a provider that was added is reported as missing in %s',
  (path, part) => {
    const wanted = withPart(read(path), part, [...PROVIDERS, added]);
    expect(wanted).not.toBe(read(path));
    // The overview has names, and no variables.
    expect(wanted).toContain(part.name === 'overview' ? '`acme`: ACME' : 'ACME_TOKEN');
  },
);

test('a file without the marks is reported, with the marks', () => {
  const [part] = PARTS;
  expect(() => part && withPart('A=1\n', part, PROVIDERS)).toThrow(`"generated: settings (${COMMAND})"`);
});
