import { HTTPSnippet } from '@readme/httpsnippet';
import type { ExampleRequest } from './request.ts';

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

/** What the library assumes: answers in JSON, bodies in ASCII, and that an empty object is a list, as PHP writes it. */
function adjusted(text: string, answersJson: boolean): string {
  const read = answersJson ? text : text.replace('res => res.json()', 'res => res.text()');
  return read
    .replace('data=payload,', 'data=payload.encode(),')
    .replace(/=> (.{0,99})\[\n {0,99}\n {0,99}\]/g, '=> $1new stdClass()');
}
