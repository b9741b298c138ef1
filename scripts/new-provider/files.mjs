// The files of a provider as `npm run new-provider` makes them: a small API that does not exist, with its tests. They
// pass every check; whoever fills them in replaces the fixtures first. `acme` in them becomes the provider's name.

const PARSE = `import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber } from '../../answer/answers.ts';
import { jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { isObject, type JsonObject, objectsIn, textOf } from '../../http/json.ts';
import { codeTable, type ReadScan } from '../../texts/meaning.ts';
import { resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Acme';

/** Reads the answer to one call: an answer for each requested number. */
export function parseTracking(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE);
  if (read.kind === 'failed') return requested.map(() => read);
  // Fill in where the parcels are. If the body is the parcel: [read.body].
  const parcels = objectsIn(read.body, 'parcels');
  return answersByNumber(requested, parcels, {
    provider: TITLE,
    numbersOf: (parcel) => [textOf(parcel, 'number')],
    answerOf,
  });
}

function answerOf({ events }: JsonObject): CarrierAnswer {
  return answerFrom(Array.isArray(events) ? events.map(scanOf) : [], TITLE);
}

function scanOf(event: unknown): ReadScan | null {
  if (!isObject(event)) return null;
  const timeRaw = textOf(event, 'time');
  const location = textOf(event, 'place');
  const description = textOf(event, 'text');
  const resolved = resolveTimeAt(timeRaw, { locality: location });
  const meaning = meaningOf(textOf(event, 'code')) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}

/** The meaning of their status codes. Fill in every documented one. */
const meaningOf = codeTable({
  DLV: 'delivered', // Delivered
  OFD: 'out_for_delivery', // Out for delivery
});
`;

const INDEX = `import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTracking } from './parse.ts';

/** Acme: one number per call. */
export const acme = defineProvider({
  name: 'acme-name',
  title: 'Acme',
  about: 'fill in what this API is, in one line',
  capabilities: ['read'],
  // Our carrier code, theirs; new carriers go to registry-rows.ts first.
  carriers: {},
  apiUrl: 'https://api.example.com',
  settings: {
    apiKey: credential('ACME_API_KEY', 'your API key at Acme', 'fill in where to get it'),
  },
  limits: { batchSize: 1, concurrency: 2, callsPerSecond: 1, floorSeconds: 3600 },
  answers: 'JSON: parcels[].events[]',
  parse: parseTracking,
  connect: ({ baseUrl, apiKey }) => {
    const url = urlBelow(baseUrl, 'tracking');
    const send = httpClient({ timeoutMs: 15_000 });
    const headers = { 'x-api-key': apiKey };
    return {
      ask: askEach(
        ({ number }, signal) => send(url, { query: { number }, headers }, signal),
        (outcome, question) => parseTracking(outcome, [question]),
      ),
    };
  },
});
`;

// It reads the fixtures through the manifest, so it fits every form of answer: JSON and XML, one number in a call and
// many.
const TEST = `import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { acme } from './index.ts';

const [carrier = ''] = Object.keys(acme.carriers);

testFixtures(import.meta.url, acme.parse, carrier);

test.each([
  [401, 'auth'],
  [429, 'rate_limited'],
  [500, 'transient'],
])('HTTP %i is %s', (status, failure) => {
  expect(acme.parse(response('', status), [{ number: 'A1', carrier }])).toMatchObject([{ failure }]);
});
`;

const FOUND = `{
  "parcels": [
    {
      "number": "A1",
      "events": [
        { "time": "2031-05-02T09:30:00Z", "code": "DLV", "place": "Fennbrook", "text": "Delivered" },
        { "time": "2031-05-02T06:00:00Z", "code": "OFD", "place": "Fennbrook", "text": "Out for delivery" }
      ]
    }
  ]
}
`;

const NOT_FOUND = `{ "parcels": [{ "number": "A1", "events": [] }] }
`;

// `http` is the status of the answer if it is not 200; `answers` has one for each number in `requested`.
const EXPECTED = `{
  "found.json": {
    "requested": ["A1"],
    "answers": [
      [
        ["2031-05-02T09:30:00Z", "delivered", "Fennbrook"],
        ["2031-05-02T06:00:00Z", "out_for_delivery", "Fennbrook"]
      ]
    ]
  },
  "not_found.json": { "requested": ["A1"], "answers": ["not_found"] }
}
`;

const TEMPLATES = {
  'index.ts': INDEX,
  'parse.ts': PARSE,
  'parse.test.ts': TEST,
  'fixtures/found.json': FOUND,
  'fixtures/not_found.json': NOT_FOUND,
  'fixtures/expected.json': EXPECTED,
};

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** The files of a provider: path in its folder and text. */
export function filesOf(name) {
  const variable = camel(name);
  const title = variable.charAt(0).toUpperCase() + variable.slice(1);
  const prefix = `${name.toUpperCase().replaceAll('-', '_')}_`;
  const words = { 'acme-name': name, ACME_: prefix, Acme: title, acme: variable };
  // In one pass: the name itself may contain one of the words.
  const fill = (text) => text.replace(/acme-name|ACME_|Acme|acme/g, (word) => words[word]);
  return Object.entries(TEMPLATES).map(([path, text]) => [path, fill(text)]);
}

/** The index of the providers with one more, first in the order of preference. */
export function withProvider(index, name) {
  const variable = camel(name);
  return index
    .replace(/^import /, `import { ${variable} } from './${name}/index.ts';\nimport `)
    .replace(/(PROVIDERS: readonly ProviderManifest\[\] = \[\n)/, `$1  ${variable},\n`);
}

/** Why a new provider cannot have this name; null if it can. */
export function nameFault(name, known) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    return 'Say its name in lower case with hyphens, such as: npm run new-provider -- acme-parcels';
  }
  return known.includes(name) ? `There is a provider ${name} already: packages/carriers/src/providers/${name}` : null;
}
