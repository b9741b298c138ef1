import { templateOf } from '@pts/contract/operation';
import { HTTPSnippet } from '@readme/httpsnippet';
import { EXAMPLE_HOST, EXAMPLE_KEY, EXAMPLE_OPERATOR_KEY } from './placeholders.ts';
import { answersOf, type Described, type Reference } from './reference.ts';

/** The languages of the samples: what the page calls each, and the library that a sample uses. */
const TARGETS = [
  { name: 'curl', code: 'sh', target: 'shell', client: 'curl' },
  { name: 'JavaScript', code: 'js', target: 'javascript', client: 'fetch' },
  { name: 'Python', code: 'python', target: 'python', client: 'requests' },
  { name: 'Go', code: 'go', target: 'go', client: 'native' },
  { name: 'PHP', code: 'php', target: 'php', client: 'curl' },
  { name: 'Java', code: 'java', target: 'java', client: 'nethttp' },
  { name: 'C#', code: 'csharp', target: 'csharp', client: 'httpclient' },
] as const;

export type SampleLanguage = (typeof TARGETS)[number]['name'];
export type Sample = { name: SampleLanguage; code: string; text: string };

/** A request in every language. */
export function samplesOf({ method, url, headers, body, answersJson }: ExampleRequest): Sample[] {
  const snippet = new HTTPSnippet({
    method,
    url,
    httpVersion: 'HTTP/1.1',
    headers,
    cookies: [],
    queryString: [],
    headersSize: -1,
    bodySize: -1,
    ...(body ? { postData: { mimeType: body.type, text: body.text } } : {}),
    // Its types require a body, which a GET has not.
  } as ConstructorParameters<typeof HTTPSnippet>[0]);
  return TARGETS.map(({ name, code, target, client }) => {
    const [text] = snippet.convert(target, client) || [];
    if (!text) throw new Error(`There is no sample in ${name} for ${method} ${url}.`);
    return { name, code, text: adjusted(text.trimEnd(), answersJson) };
  });
}

/**
 * Adjusts a sample to what the library does not expect. It assumes answers in JSON, bodies in ASCII, and that an empty
 * object is a list, as PHP writes it.
 */
function adjusted(text: string, answersJson: boolean): string {
  const read = answersJson ? text : text.replace('res => res.json()', 'res => res.text()');
  return read
    .replace('data=payload,', 'data=payload.encode(),')
    .replace(/=> (.{0,99})\[\n {0,99}\n {0,99}\]/g, '=> $1new stdClass()');
}

/** Cursors of an example belong to no account. */
const CURSORS = ['after', 'before', 'cursor'];

/** A request that an example makes. */
type ExampleRequest = {
  method: string;
  url: string;
  headers: { name: string; value: string }[];
  body?: { type: string; text: string };
  answersJson: boolean;
};

/** The example of an operation: its required parameters, and those that have an example. */
export function exampleRequest({ method, path, scope, doc }: Described, reference: Reference): ExampleRequest {
  const { parameters = [], requestBody } = reference;
  const shown = parameters.filter(({ in: place, example }) => place !== 'header' && example !== undefined);
  const exampleOf = (name: string) => String(shown.find((parameter) => parameter.name === name)?.example ?? name);
  const given = Object.keys((doc.example?.request as object | undefined) ?? {});
  const query = shown
    .filter(({ in: place, name, required }) => place === 'query' && (required || given.includes(name)))
    .filter(({ name, example }) => !CURSORS.includes(name) || example === 'latest')
    .map(({ name, example }) => `${encodeURIComponent(name)}=${encodeURIComponent(String(example))}`);
  const address = templateOf(path).replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(exampleOf(name)));
  const [media] = Object.entries(requestBody?.content ?? {}).filter(([, { example }]) => example !== undefined);
  const [type, { example } = {}] = media ?? [];
  const key = scope === 'operator' ? EXAMPLE_OPERATOR_KEY : EXAMPLE_KEY;
  return {
    method: method.toUpperCase(),
    url: `${EXAMPLE_HOST}/api/v1${address}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: [{ name: 'X-API-Key', value: key }, ...(type ? [{ name: 'Content-Type', value: type }] : [])],
    answersJson: answersOf(reference).some(([answer]) => answer === 'application/json'),
    ...(type ? { body: { type, text: typeof example === 'string' ? example : JSON.stringify(example) } } : {}),
  };
}
