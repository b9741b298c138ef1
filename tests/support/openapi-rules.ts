type Node = Record<string, unknown>;
type Rule = (schema: Node, where: string) => string | false;

const UTC = '2025-11-21T00:30:00Z';
const NAIVE = '2025-11-21T00:30:00';

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const hasType = ({ type }: Node, wanted: string) => [type].flat().includes(wanted);
const isRef = (schema: Node) => '$ref' in schema;
const isComponent = (where: string) => /^#\/components\/schemas\/\w+$/.test(where);
const takes = ({ pattern }: Node, text: string) =>
  typeof pattern === 'string' && !new RegExp(pattern).test('text') && new RegExp(pattern).test(text);

/** Schemas that code generators fail on or generate poor code for. A rule returns the fault of one schema. */
const RULES: readonly Rule[] = [
  (schema) => 'const' in schema && 'is a constant: write an enum of one text, or bounds of a number',
  ({ enum: values }) =>
    Array.isArray(values) &&
    values.some((value) => typeof value !== 'string') &&
    'is an enum of other values than texts; null is an alternative of its own',
  (schema, where) =>
    (hasType(schema, 'object') || 'properties' in schema) && !isComponent(where) && 'is an object without a title',
  (schema, where) =>
    (list(schema.oneOf).length > 0 || list(schema.anyOf).filter(isRef).length > 1) &&
    !isComponent(where) &&
    'has alternatives and no title',
  (schema) => !['type', '$ref', 'oneOf', 'anyOf'].some((key) => key in schema) && 'has no type',
  (schema) => 'allOf' in schema && 'is composed with allOf: each use becomes a separate type',
  (schema) => isRef(schema) && Object.keys(schema).length > 1 && 'has keywords next to $ref, which generators ignore',
  ({ type }) => Array.isArray(type) && (type.length !== 2 || type[1] !== 'null') && 'has several types besides null',
  (schema) => list(schema.anyOf).some((one) => hasType(one, 'array')) && 'has an array as an alternative',
  ({ oneOf, discriminator }) =>
    list(oneOf).length > 0 &&
    Object.keys((discriminator as { mapping?: object } | undefined)?.mapping ?? {}).length !== list(oneOf).length &&
    'has alternatives that no property distinguishes',
  ({ enum: values, 'x-enum-varnames': names, 'x-enum-descriptions': meanings }) => {
    if (!Array.isArray(values) || values.every((value) => /^[\x20-\x7e]*$/.test(String(value)))) return false;
    const fits = [names, meanings].every((texts) => Array.isArray(texts) && texts.length === values.length);
    return !(fits && (names as string[]).every((name) => /^[A-Z][A-Z_]*$/.test(name))) && 'has values without names';
  },
  (schema) =>
    (takes(schema, UTC) || [schema.examples].flat().includes(UTC)) &&
    schema.format !== 'date-time' &&
    'is a time without format: date-time',
  (schema) => takes(schema, NAIVE) && 'format' in schema && 'has format: date-time, but no zone',
];

/** Every schema in an OpenAPI document, with its path. */
function* schemasIn(node: unknown, where = '#'): Generator<[Node, string]> {
  if (Array.isArray(node)) for (const [place, value] of node.entries()) yield* schemasIn(value, `${where}/${place}`);
  if (!isNode(node)) return;
  for (const [key, value] of Object.entries(node)) {
    const way = `${where}/${key}`;
    if (key === 'schema') yield* within(value, way);
    else if (way === '#/components/schemas' && isNode(value))
      for (const [name, schema] of Object.entries(value)) yield* within(schema, `${way}/${name}`);
    else if (key !== 'example' && key !== 'examples') yield* schemasIn(value, way);
  }
}

/** A schema and those in it; what `not` has describes no value. */
function* within(schema: unknown, where: string): Generator<[Node, string]> {
  if (!isNode(schema)) return;
  yield [schema, where];
  for (const [name, value] of Object.entries((schema.properties ?? {}) as Node))
    yield* within(value, `${where}/properties/${name}`);
  for (const key of ['items', 'additionalProperties']) yield* within(schema[key], `${where}/${key}`);
  for (const key of ['oneOf', 'anyOf', 'allOf'])
    for (const [place, value] of list(schema[key]).entries()) yield* within(value, `${where}/${key}/${place}`);
}

/** The faults of a document's schemas for generators: path and fault. */
export function faultsOfSchemas(document: object): string[] {
  return Array.from(schemasIn(document)).flatMap(([schema, where]) =>
    RULES.flatMap((rule) => {
      const fault = rule(schema, where);
      return fault === false ? [] : [`${where} ${fault}`];
    }),
  );
}

/** The names in a document that are invalid or duplicate in generated code. */
export function faultsOfNames(document: { components: { schemas: object } }): string[] {
  const schemas = Object.keys(document.components.schemas);
  const operations = operationsIn(document);
  const ids = operations.map(({ id }) => id);
  // For file systems that ignore case.
  const twice = (names: readonly string[]) =>
    names.filter((name, place) => names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) !== place);
  return [
    ...schemas.filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name)).map((name) => `${name} is not a valid type name`),
    ...schemas.filter((name) => /(Request|Response|Params|Body)$/.test(name)).map((name) => `${name} may be generated`),
    ...twice([...schemas, ...ids]).map((name) => `${name} is there twice`),
    ...ids.filter((id) => !/^[a-z]+[A-Za-z]*$/.test(id)).map((id) => `${id} is not a valid function name`),
    ...pushesAmongOperations(operations),
  ];
}

type FoundOperation = { id: string; where: string; tags: readonly string[]; isInternal: boolean };

/** A push is not a call that a client makes, and must not replace the calls that its tag has. */
function pushesAmongOperations(operations: readonly FoundOperation[]): string[] {
  const pushes = operations.filter(({ where }) => where.startsWith('#/webhooks/'));
  const taken = new Set(operations.filter((one) => !pushes.includes(one)).flatMap(({ tags }) => tags));
  return [
    ...pushes.filter(({ isInternal }) => !isInternal).map(({ id }) => `${id} is not x-internal`),
    ...pushes.filter(({ tags }) => tags.some((tag) => taken.has(tag))).map(({ id }) => `${id} has the tag of calls`),
  ];
}

/** Every operation of a document: those of paths, of callbacks, and the pushes. */
export function operationsIn(node: unknown, where = '#'): FoundOperation[] {
  if (!isNode(node)) return [];
  const { operationId: id, tags, 'x-internal': isInternal } = node;
  const own =
    typeof id === 'string' ? [{ id, where, tags: (tags ?? []) as string[], isInternal: isInternal === true }] : [];
  return [...own, ...Object.entries(node).flatMap(([key, value]) => operationsIn(value, `${where}/${key}`))];
}
