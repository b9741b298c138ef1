// Makes crd-schema.json from the CustomResourceDefinitions of the operators that our manifests are for (all
// Apache-2.0), strict like kubernetes-schema.json. Their files are in the sources that Go's module proxy has (`go mod
// download -json <module>@<version>`):
//   node tests/deployment/extract-crd-schemas.mjs \
//     github.com/kedacore/keda/v2@v2.21.0/config/crd/bases/keda.sh_scaledobjects.yaml … >
// tests/deployment/crd-schema.json
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What a manifest of ours may get wrong; rules in CEL are not checked here. */
const KEPT = [
  'type',
  'enum',
  'required',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
];
const LISTS = ['anyOf', 'oneOf', 'allOf'];
const META = { $ref: 'kubernetes#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };

function convert(schema) {
  const keeps = (key) => key in schema && (key !== 'pattern' || isPattern(schema.pattern));
  const kept = Object.fromEntries(KEPT.filter(keeps).map((key) => [key, schema[key]]));
  const lists = LISTS.filter((key) => key in schema).map((key) => [key, schema[key].map(convertPart)]);
  const { items, properties, additionalProperties: more } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...kept,
    ...(schema['x-kubernetes-int-or-string'] === true && { type: ['integer', 'string'] }),
    ...Object.fromEntries(lists),
    ...(items !== undefined && { items: convert(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, convert(value)])),
      ...(!isOpen && { additionalProperties: false }),
    }),
    ...(typeof more === 'object' && { additionalProperties: convert(more) }),
  };
}

/** Go's expressions have flags that JavaScript's lack. */
function isPattern(text) {
  try {
    return new RegExp(text, 'u') !== null;
  } catch {
    return false;
  }
}

/** A part of an alternative names only some of the fields. */
function convertPart(schema) {
  const { additionalProperties: _, ...part } = convert(schema);
  return part;
}

const kinds = {};
const definitions = {};
for (const path of process.argv.slice(2)) {
  const { spec } = parse(readFileSync(path, 'utf8'));
  for (const { name: version, served, schema } of spec.versions) {
    if (!served) continue;
    const name = `${spec.group}.${version}.${spec.names.kind}`;
    kinds[`${spec.group}/${version} ${spec.names.kind}`] = name;
    const { status: _, ...properties } = schema.openAPIV3Schema.properties;
    const definition = convert({ ...schema.openAPIV3Schema, properties });
    definitions[name] = { ...definition, properties: { ...definition.properties, metadata: META } };
  }
}
const sources = process.argv.slice(2).map((path) => /[^/]*\/[^/]+(?:\/v\d+)?@v[\d.]+/.exec(path)?.[0]);
const about = `From the CustomResourceDefinitions of ${[...new Set(sources)].join(', ')}, Apache-2.0, made by extract-crd-schemas.mjs`;
console.log(JSON.stringify({ $comment: about, kinds, definitions }));
