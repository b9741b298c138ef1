import { namesIn } from '@pts/contract/openapi/parameters';
import type { Fault } from '@pts/core/faults';
import type { Route } from '../operation.ts';
import { likeliest } from './sent-instead.ts';
import { unknownFields } from './unknown-fields.ts';

type Properties = Readonly<Record<string, object>>;
type Given = Readonly<Record<string, unknown>>;

/** The fields of a body that a strict operation does not have, with what to send instead; others ignore them. */
export function unknownInBody({ strict, path, request, response }: Route): (given: Given) => Fault[] {
  if (!strict) return () => [];
  const fields = propertiesOf(request);
  const inPath = namesIn(path);
  const names = Object.keys(fields).filter((name) => !inPath.includes(name));
  const known = { ...propertiesOf(response), ...fields };
  if (strict === 'misspelt')
    return (given) => unknownFields(given, known, { meantBy: (sent) => likeliest(sent, names) });
  return (given) => [
    ...unknownAmong(given, known, names),
    ...Object.entries(fields).flatMap(([field, schema]) => unknownWithin(given[field], field, schema)),
  ];
}

/** The same in a field that is itself an object with fields, such as a filter. */
function unknownWithin(value: unknown, field: string, schema: object): Fault[] {
  const known = propertiesOf(schema);
  const names = Object.keys(known);
  if (names.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return unknownAmong(value, known, names).map((fault) => ({ ...fault, field: `${field}.${fault.field}` }));
}

function unknownAmong(given: object, known: Properties, names: readonly string[]): Fault[] {
  const otherwise = () => `is not a field of this request; it has ${names.join(', ')}`;
  return unknownFields(given, known, { otherwise, meantBy: (sent) => likeliest(sent, names) });
}

function propertiesOf(schema: object): Properties {
  return 'properties' in schema ? (schema.properties as Properties) : {};
}
