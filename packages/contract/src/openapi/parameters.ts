import { pageLimit, pageLimitAsNumber } from '../common.ts';
import { lastEvents, lastEventsAsNumber } from '../schemas/events.ts';
import { type Operation, type Parameters, templateOf } from './operation-doc.ts';

type Schema = { description?: string; examples?: readonly unknown[] };
type ObjectSchema = Parameters & { description?: string };

/** The API reads query parameters as strings; the reference shows their actual types. */
const MEANT_AS = new Map<object, object>([
  [pageLimit, pageLimitAsNumber],
  [lastEvents, lastEventsAsNumber],
]);

/** A request schema, split into parameters and body. */
export type Input = { parameters: object[]; body: object | null };

/** Splits an operation's one request schema into parameters of the path, parameters of the query, and the body. */
export function splitInput(operation: Operation): Input {
  const { path, input, request, doc } = operation;
  const names = namesIn(path);
  const schema = isObjectSchema(request) ? request : { properties: {} };
  const inPath = names.map((name) => parameter('path', name, schema.properties[name] ?? { type: 'string' }, true));
  const headers = Object.entries(doc.headers?.properties ?? {}).map(([name, each]) =>
    parameter('header', name, each, false),
  );
  if (input === 'query' || input === 'file') {
    // The media types of its documentation describe a file.
    const body = input === 'file' ? {} : null;
    return { parameters: [...inPath, ...queryOf(queryParameters(operation), doc.example?.request), ...headers], body };
  }
  const rest = without(schema, names);
  const query = queryOf(queryParameters(operation));
  const body = input === 'body' ? (doc.requestBody ?? (isObjectSchema(request) ? rest : request)) : null;
  return { parameters: [...inPath, ...query, ...headers], body: names.length === 0 && body === rest ? request : body };
}

/** The parameters in the query of an operation: the reference shows them, and the API refuses any other. */
export function queryParameters({
  path,
  input,
  request,
  doc,
}: Pick<Operation, 'path' | 'input' | 'request' | 'doc'>): Parameters {
  if (input !== 'query' && input !== 'file') return doc.query ?? { properties: {} };
  return isObjectSchema(request) ? without(request, namesIn(path)) : { properties: {} };
}

/** The names of the parameters in a path. */
export function namesIn(path: string): string[] {
  return [...templateOf(path).matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

function queryOf({ properties, required = [] }: Parameters, example: unknown = {}): object[] {
  return Object.entries(properties).map(([name, schema]) => {
    const shown = (example as Record<string, unknown>)[name];
    return parameter('query', name, schema, required.includes(name), shown);
  });
}

/** A parameter has its description next to its schema, not in it. */
function parameter(place: string, name: string, schema: object, required: boolean, shown?: unknown): object {
  const { description, examples, ...meant } = (MEANT_AS.get(schema) ?? schema) as Schema & { type?: unknown };
  const example = shown ?? examples?.[0];
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: meant,
    ...(example === undefined ? {} : { example: meant.type === 'integer' ? Number(example) : example }),
  };
}

function without(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const required = (schema.required ?? []).filter((name) => !names.includes(name));
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.includes(name)));
  const { required: _required, ...rest } = schema;
  return { ...rest, properties, ...(required.length > 0 ? { required } : {}) };
}

function isObjectSchema(schema: object): schema is ObjectSchema {
  return 'properties' in schema;
}
