import { join } from 'node:path';
import { parse } from 'yaml';
import type { Container, Manifest } from './manifest.ts';
import { ofKind, workloads } from './manifest.ts';
import { exists, filesIn, parseYaml } from './repository.ts';

type Image = { name: string; newName?: string; newTag?: string; digest?: string };
type Operation = { op: 'add' | 'replace' | 'remove'; path: string; value?: unknown };
type Target = { kind: string; name?: string };
type Replacement = {
  source: { kind: 'ConfigMap'; name: string; fieldPath: 'data.version' };
  targets: { select: Target; fieldPaths: ['metadata.name']; options: { delimiter: string; index: number } }[];
};
type Generator = {
  name: string;
  behavior?: 'merge';
  literals: string[];
  options?: { annotations: Record<string, string> };
};

export type Kustomization = {
  namespace?: string;
  resources: string[];
  images?: Image[];
  replicas?: { name: string; count: number }[];
  configMapGenerator?: Generator[];
  patches?: { target: Target; patch: string }[];
  replacements?: Replacement[];
};

const KNOWN = [
  'apiVersion',
  'kind',
  'namespace',
  'labels',
  'resources',
  'images',
  'replicas',
  'configMapGenerator',
  'patches',
  'replacements',
];

/** Resources with it are only for kustomize, and not part of its output. */
const LOCAL = 'config.kubernetes.io/local-config';

export function kustomization(folder: string): Kustomization {
  const [first] = parseYaml<Kustomization>(join(folder, 'kustomization.yaml'));
  if (first === undefined) throw new Error(`${folder}: empty kustomization`);
  const unknown = Object.keys(first).filter((key) => !KNOWN.includes(key));
  if (unknown.length > 0) throw new Error(`${folder}: teach tests/deployment/kustomize.ts about ${unknown.join(', ')}`);
  return first;
}

/** YAML files of the folder that no kustomization names, and named ones that are not there. */
export function strays(folder: string): string[] {
  const { resources } = kustomization(folder);
  const named = resources.map((resource) => join(folder, resource));
  const missing = named.filter((path) => !exists(path.endsWith('.yaml') ? path : join(path, 'kustomization.yaml')));
  const unnamed = filesIn(folder).filter(
    (path) => path.endsWith('.yaml') && !path.endsWith('/kustomization.yaml') && !named.includes(path),
  );
  return [...missing.map((path) => `${path} is missing`), ...unnamed.map((path) => `${path} is not used`)];
}

/**
 * The output of `kustomize build` for a folder, as far as this repository uses kustomize: without hashes, added labels
 * and namespaces. A field or a patch that does not apply is an error, as in kustomize.
 */
export function render(folder: string, layer = kustomization(folder)): Manifest[] {
  const manifests = layer.resources.flatMap((resource) =>
    resource.endsWith('.yaml') ? parseYaml<Manifest>(join(folder, resource)) : render(join(folder, resource)),
  );
  for (const generator of layer.configMapGenerator ?? []) generate(manifests, generator);
  for (const { target, patch } of layer.patches ?? []) patchAll(manifests, target, patch);
  for (const { name, count } of layer.replicas ?? []) {
    const [deployment] = matching(manifests, { kind: 'Deployment', name });
    (deployment as { spec: { replicas: number } }).spec.replicas = count;
  }
  const containers = workloads(manifests).flatMap((workload) => workload.spec.template.spec.containers);
  for (const image of layer.images ?? []) retag(containers, image);
  for (const replacement of layer.replacements ?? []) nameByRelease(manifests, replacement);
  return manifests.filter(({ metadata }) => metadata.annotations?.[LOCAL] !== 'true');
}

function matching(manifests: Manifest[], { kind, name }: Target): Manifest[] {
  const found = manifests.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
  if (found.length === 0) throw new Error(`nothing is ${kind} ${name ?? ''}`);
  return found;
}

function generate(manifests: Manifest[], { name, behavior, literals, options }: Generator): void {
  const data = Object.fromEntries(literals.map((literal) => literal.split(/=(.*)/s).slice(0, 2)));
  if (behavior !== 'merge') {
    manifests.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...options }, data } as Manifest);
    return;
  }
  const [map] = matching(manifests, { kind: 'ConfigMap', name });
  Object.assign((map as { data: object }).data, data);
}

function retag(containers: Container[], { name, newName, newTag, digest }: Image): void {
  const ours = containers.filter((container) => container.image === name);
  if (ours.length === 0) throw new Error(`no container has the image ${name}`);
  const version = digest === undefined ? `:${newTag}` : `@${digest}`;
  for (const container of ours) container.image = `${newName ?? name}${version}`;
}

/** Gives the Job the release as the last part of its name. */
function nameByRelease(manifests: Manifest[], { source, targets }: Replacement): void {
  const [map] = ofKind(matching(manifests, source), 'ConfigMap');
  const version = map?.data.version;
  if (version === undefined) throw new Error(`${source.name} has no version`);
  for (const { select, options } of targets) {
    for (const { metadata } of matching(manifests, select)) {
      const parts = metadata.name.split(options.delimiter);
      parts[options.index] = version;
      metadata.name = parts.join(options.delimiter);
    }
  }
}

function patchAll(manifests: Manifest[], target: Target, patch: string): void {
  for (const manifest of matching(manifests, target)) {
    for (const operation of parse(patch) as Operation[]) apply(manifest, operation);
  }
}

/** RFC 6902, for objects and existing places in arrays. */
function apply(manifest: Manifest, { op, path, value }: Operation): void {
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Record<string, unknown> | undefined>(
    (at, key) => at?.[key] as Record<string, unknown> | undefined,
    manifest as unknown as Record<string, unknown>,
  );
  if (parent === undefined || (op !== 'add' && !(last in parent))) {
    throw new Error(`${manifest.metadata.name} has no ${path} to ${op}`);
  }
  if (op === 'remove') delete parent[last];
  else parent[last] = value;
}
