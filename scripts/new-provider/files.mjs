// The files of a provider as `npm run new-provider` makes them: they pass the type check, and their tests fail until they are
// filled in. `acme` in them becomes the provider's name.

const PARSE = `import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { type JsonObject, objectsIn, parseObject, textOf } from '../../json.ts';
import { resolveTimeAt } from '../../local-time.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { historyOf, type ReadScan } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { meaningOf } from './codes.ts';

/** Reads the answer to one call about one number. */
export function parseTracking(outcome: HttpOutcome, asked: Asked): CarrierAnswer {
  const body = bodyOrFailure(outcome, 'Acme');
  if (typeof body !== 'string') return body;
  const answer = parseObject(body);
  // Fill in: does the answer name the requested number? An unknown number is not_found.
  if (!answer) return failed('unreadable', \`Acme answered something other than a JSON object about \${asked.number}\`);
  const history = historyOf(objectsIn(answer, 'events').map(scanOf), 'Acme');
  return Array.isArray(history) ? { kind: 'found', scans: history } : history;
}

function scanOf(event: JsonObject): ReadScan | null {
  const timeRaw = textOf(event, 'time');
  const location = textOf(event, 'place');
  const resolved = resolveTimeAt(timeRaw, { locality: location });
  if (resolved === null) return null;
  const description = textOf(event, 'text');
  return { scan: { ...resolved, timeRaw, location, description }, meaning: meaningOf(textOf(event, 'code')) };
}
`;

const CODES = `import type { Meaning } from '../history.ts';

/** Their status codes. Fill in every documented one. */
const MEANING_OF_CODE = new Map<string, Meaning>([['DLV', { status: 'delivered' }]]);

export function meaningOf(code: string): Meaning {
  return MEANING_OF_CODE.get(code) ?? { status: 'in_transit' };
}
`;

const CLIENT = `import { httpClient } from '../../http.ts';
import type { ProviderClient } from '../../provider.ts';
import { urlBelow } from '../../url.ts';
import { parseTracking } from './parse.ts';

export type AcmeConfig = { baseUrl: string; apiKey: string; timeoutMs?: number };

/**
 * Acme: one number per call.
 * @throws TypeError if \`baseUrl\` is not a URL.
 */
export function acmeClient({ baseUrl, apiKey, timeoutMs = 15_000 }: AcmeConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'tracking');
  const send = httpClient({ timeoutMs });
  return {
    ask: (questions, signal) =>
      Promise.all(
        questions.map(async (question) => {
          const request = { query: { number: question.number }, headers: { 'x-api-key': apiKey } };
          return parseTracking(await send(url, request, signal), question);
        }),
      ),
  };
}
`;

const MANIFEST = `import { address, credential, defineProvider } from '../manifest.ts';
import { acmeClient } from './client.ts';
import { parseTracking } from './parse.ts';

export const acme = defineProvider({
  name: 'acme-name',
  title: 'Acme',
  about: 'fill in what this API is, in one line',
  capabilities: ['read'],
  // Our carrier code, theirs; new carriers go to registry-rows.ts first.
  carriers: {},
  requires: {},
  settings: {
    baseUrl: address('ACME_BASE_URL', 'address of the Acme API', 'https://api.example.com'),
    apiKey: credential('ACME_API_KEY', 'your API key at Acme', 'fill in where to get it'),
  },
  limits: { batchSize: 1, concurrency: 2, callsPerSecond: 1, floorSeconds: 3600 },
  parse: (outcome, asked) => asked.map((each) => parseTracking(outcome, each)),
  connect: (account) => acmeClient(account),
});
`;

const TEST = `import { fixturesBeside, response, summaryOf } from '../../testing/answers.ts';
import { acme } from './manifest.ts';
import { parseTracking } from './parse.ts';

const parse = (body: unknown, status?: number) => parseTracking(response(body, status), { number: 'A1', carrier: '' });

test.each(fixturesBeside(import.meta.url))('%s is read as expected', (_file, text, expected) => {
  expect(summaryOf(parse(text))).toEqual(expected);
});

test('it serves a carrier', () => {
  expect(Object.keys(acme.carriers)).not.toEqual([]);
});

test('an answer about another number is reported', () => {
  expect(parse({ number: 'B2', events: [{ time: '2031-05-01T08:00:00Z' }] })).toMatchObject({ otherNumber: 'B2' });
});

test.each([
  [401, 'auth'],
  [429, 'rate_limited'],
  [500, 'transient'],
])('HTTP %i is %s', (status, failure) => {
  expect(parse('', status)).toMatchObject({ failure });
});
`;

const FOUND = `{
  "number": "A1",
  "events": [
    { "time": "2031-05-02T09:30:00Z", "code": "DLV", "place": "Fennbrook", "text": "Delivered" },
    { "time": "2031-05-02T06:00:00Z", "code": "OFD", "place": "Fennbrook", "text": "Out for delivery" }
  ]
}
`;

const EXPECTED = `{
  "found.json": [
    ["2031-05-02T06:00:00Z", "out_for_delivery", "Fennbrook"],
    ["2031-05-02T09:30:00Z", "delivered", "Fennbrook"]
  ],
  "not_found.json": "not_found"
}
`;

const TEMPLATES = {
  'manifest.ts': MANIFEST,
  'client.ts': CLIENT,
  'parse.ts': PARSE,
  'codes.ts': CODES,
  'parse.test.ts': TEST,
  'fixtures/found.json': FOUND,
  'fixtures/not_found.json': '{ "number": "A1", "events": [] }\n',
  'fixtures/expected.json': EXPECTED,
};

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** The files of a provider: path in its folder and text. */
export function filesOf(name) {
  const variable = camel(name);
  const title = variable.charAt(0).toUpperCase() + variable.slice(1);
  const prefix = name.toUpperCase().replaceAll('-', '_');
  return Object.entries(TEMPLATES).map(([path, text]) => [
    path,
    text
      .replaceAll('acme-name', name)
      .replaceAll('ACME_', `${prefix}_`)
      .replaceAll('Acme', title)
      .replaceAll('acme', variable),
  ]);
}

/** The index of the providers with one more, first in the order of preference. */
export function withProvider(index, name) {
  const variable = camel(name);
  return index
    .replace(/^import /, `import { ${variable} } from './${name}/manifest.ts';\nimport `)
    .replace(/(PROVIDERS: readonly ProviderManifest\[\] = \[\n)/, `$1  ${variable},\n`);
}

/** Why a new provider cannot have this name; null if it can. */
export function nameFault(name, known) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    return 'Say its name in lower case with hyphens, such as: npm run new-provider -- acme-parcels';
  }
  return known.includes(name) ? `There is a provider ${name} already: packages/carriers/src/providers/${name}` : null;
}
