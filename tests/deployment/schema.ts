import { Ajv } from 'ajv';
import type { Manifest } from './manifest.ts';
import { read } from './repository.ts';

type Document = { kinds: Record<string, string>; definitions: Record<string, unknown> };

/** Of Kubernetes' own kinds, and of those that operators add. */
const DOCUMENTS = ['kubernetes', 'crd'].map((name) => ({
  name,
  document: JSON.parse(read(`tests/deployment/${name}-schema.json`)) as Document,
}));
const ajv = new Ajv({ allErrors: true, strict: false });
for (const { name, document } of DOCUMENTS) ajv.addSchema(document, name);

/** What the schema of its kind finds wrong with a manifest: unknown fields, missing ones, wrong types. */
export function schemaFaults(manifest: Pick<Manifest, 'apiVersion' | 'metadata'> & { kind: string }): string[] {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const { name, document } = DOCUMENTS.find((each) => kind in each.document.kinds) ?? {};
  if (document === undefined) return [`unknown kind ${kind}`];
  const validate = ajv.getSchema(`${name}#/definitions/${document.kinds[kind]}`);
  if (validate === undefined) throw new Error(`no schema for ${kind}`);
  if (validate(manifest)) return [];
  return (validate.errors ?? []).map((error) =>
    [manifest.kind, manifest.metadata?.name, error.instancePath, error.message, ...Object.values(error.params)].join(
      ' ',
    ),
  );
}
