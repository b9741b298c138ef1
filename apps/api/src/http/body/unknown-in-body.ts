import { isDeepStrictEqual } from 'node:util';
import type { warnings } from '@pts/contract/common';
import type { Infer } from '@pts/contract/infer';
import { namesIn } from '@pts/contract/openapi/parameters';
import type { Fault } from '@pts/core/errors';
import { likeliest } from '@pts/core/sent-instead';
import type { Route } from '../operation.ts';
import { shown, unknownFields } from './unknown-fields.ts';
import { isObject } from './validate.ts';

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

export type Warning = Infer<typeof warnings>[number];

/** Entries of `warnings` in an answer: a bulk call can have thousands of unknown fields. */
const MAX_WARNINGS = 100;

type LookOptions = {
  /** Of the number, in a bulk call. */
  index?: number;
  /** The fields of each number, beside which the object stands. */
  ofItems?: readonly string[];
  /** Whether the answer shows the same. */
  isShown?(name: string, value: unknown): boolean;
};

/** Collects the unknown fields of a request that ignores them. */
export function createWarnings() {
  const all: Warning[] = [];
  const insteadOf = (name: string, known: readonly string[], ofItems: readonly string[]) => {
    const meant = likeliest(name, known);
    if (meant !== undefined) return `send it as ${meant}`;
    const ofItem = ofItems.includes(name) ? name : likeliest(name, ofItems);
    return ofItem === undefined ? 'this request has no such field' : `send it with each number, as ${ofItem}`;
  };
  return {
    /** Looks at one object. A field without a value was left out. */
    lookAt(
      given: unknown,
      known: readonly string[],
      { index, ofItems = [], isShown = () => false }: LookOptions = {},
    ): void {
      if (!isObject(given)) return;
      for (const [name, value] of Object.entries(given)) {
        if (all.length >= MAX_WARNINGS) return;
        if (known.includes(name) || value === null || value === '' || isShown(name, value)) continue;
        const message = `was ignored: ${insteadOf(name, known, ofItems)}`;
        all.push({ ...(index !== undefined && { index }), field: shown(name), message });
      }
    },
    /** What to add to the answer: nothing if every field is known. */
    found: (): { warnings?: Warning[] } => (all.length === 0 ? {} : { warnings: all }),
  };
}

/** The unknown fields of a body, for operations whose answer has `warnings`. */
export function warningsOf({
  method,
  input,
  request,
  response,
  strict,
}: Route): (given: unknown, answer: object) => object {
  const known = Object.keys(propertiesOf(request));
  const answers = 'anyOf' in response ? (response.anyOf as object[]) : [response];
  const isWarning =
    input === 'body' && !strict && known.length > 0 && answers.some((each) => 'warnings' in propertiesOf(each));
  if (!isWarning) return () => ({});
  return (given, answer) => {
    // A changed record may be sent back with what it shows.
    const isShown = (name: string, value: unknown) =>
      method === 'patch' && isDeepStrictEqual((answer as Given)[name], value);
    const warnings = createWarnings();
    warnings.lookAt(given, known, { isShown });
    return warnings.found();
  };
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
