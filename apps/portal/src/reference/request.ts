import { templateOf } from '@pts/contract/operation';
import type { Reference } from './document.ts';
import { EXAMPLE_HOST } from './example-host.ts';
import type { Described } from './operations.ts';

/** What stands for the key in samples. */
export const EXAMPLE_KEY = 'YOUR_API_KEY';

/** Cursors of an example belong to no account. */
const CURSORS = ['after', 'before', 'cursor'];

/** A request that an example makes. */
export type ExampleRequest = {
  method: string;
  url: string;
  headers: { name: string; value: string }[];
  body?: { type: string; text: string };
  answersJson: boolean;
};

/** The example of an operation: its required parameters, and those that have an example. */
export function exampleRequest(
  { method, path, doc }: Described,
  { parameters = [], requestBody, responses }: Reference,
): ExampleRequest {
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
  return {
    method: method.toUpperCase(),
    url: `${EXAMPLE_HOST}/api/v1${address}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: [{ name: 'X-API-Key', value: EXAMPLE_KEY }, ...(type ? [{ name: 'Content-Type', value: type }] : [])],
    answersJson: 'application/json' in (responses['200']?.content ?? {}),
    ...(type ? { body: { type, text: typeof example === 'string' ? example : JSON.stringify(example) } } : {}),
  };
}
