// Makes kubernetes-schema.json from api/openapi-spec/swagger.json of the Kubernetes sources (Apache-2.0), only with
// what our kinds need, and strict: a field that Kubernetes does not know is a fault here, as in `kubectl apply`.
//   node tests/deployment/extract-kubernetes-schema.mjs swagger.json 1.35 > tests/deployment/kubernetes-schema.json
import { readFileSync } from 'node:fs';

const ROOTS = [
  'apps.v1.Deployment',
  'autoscaling.v2.HorizontalPodAutoscaler',
  'batch.v1.CronJob',
  'batch.v1.Job',
  'core.v1.ConfigMap',
  'core.v1.Namespace',
  'core.v1.Secret',
  'core.v1.Service',
  'core.v1.ServiceAccount',
  'networking.v1.Ingress',
  'networking.v1.NetworkPolicy',
  'policy.v1.PodDisruptionBudget',
].map((name) => `io.k8s.api.${name}`);

const swagger = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const definitions = {};

function take(name) {
  if (name in definitions) return;
  const source = swagger.definitions[name];
  definitions[name] = {};
  definitions[name] = convert(source, name);
}

function convert(schema, name) {
  if (schema.$ref !== undefined) {
    take(schema.$ref.replace('#/definitions/', ''));
    return { $ref: schema.$ref };
  }
  if (schema.format === 'int-or-string') return { type: ['integer', 'string'] };
  if (name?.endsWith('.Quantity')) return { type: ['number', 'string'] };
  const { type, enum: values, required, items, properties, additionalProperties } = schema;
  return {
    ...(type !== undefined && { type }),
    ...(values !== undefined && { enum: values }),
    ...(required !== undefined && { required }),
    ...(items !== undefined && { items: convert(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, convert(value)])),
      additionalProperties: false,
    }),
    ...(additionalProperties !== undefined && { additionalProperties: convert(additionalProperties) }),
  };
}

const kinds = {};
for (const root of ROOTS) {
  take(root);
  const { group, version, kind } = swagger.definitions[root]['x-kubernetes-group-version-kind'][0];
  kinds[`${group === '' ? version : `${group}/${version}`} ${kind}`] = root;
}
const about = `From the OpenAPI document of Kubernetes ${process.argv[3]}, Apache-2.0, made by extract-kubernetes-schema.mjs`;
console.log(JSON.stringify({ $comment: about, kinds, definitions }));
