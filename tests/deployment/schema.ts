import { Ajv } from 'ajv';
import type { Manifest } from './manifest.ts';
import { read } from './repository.ts';

type Document = { kinds: Record<string, string>; definitions: Record<string, unknown> };

const document = JSON.parse(read('tests/deployment/kubernetes-schema.json')) as Document;
const ajv = new Ajv({ allErrors: true, strict: false }).addSchema(document, 'kubernetes');

/** What Kubernetes' own schema finds wrong with a manifest: unknown fields, missing ones, wrong types. */
export function schemaFaults(manifest: Manifest): string[] {
  const definition = document.kinds[`${manifest.apiVersion} ${manifest.kind}`];
  if (definition === undefined) return [`unknown kind ${manifest.apiVersion} ${manifest.kind}`];
  const validate = ajv.getSchema(`kubernetes#/definitions/${definition}`);
  if (validate === undefined) throw new Error(`no schema for ${definition}`);
  if (validate(manifest)) return [];
  return (validate.errors ?? []).map((error) =>
    [manifest.kind, manifest.metadata?.name, error.instancePath, error.message, ...Object.values(error.params)].join(
      ' ',
    ),
  );
}
