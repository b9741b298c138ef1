/** The parts of Kubernetes' types that the tests read; the schema ensures that the manifests match them. */
export type Labels = Record<string, string>;
export type Selector = { matchLabels: Labels };
export type Probe = { httpGet: { path: string; port: string } };

export type EnvVar = {
  name: string;
  value?: string;
};

export type Container = {
  name: string;
  image: string;
  imagePullPolicy?: string;
  args?: string[];
  ports?: { name: string; containerPort: number }[];
  env?: EnvVar[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string; optional?: boolean } }[];
  resources: { requests: Labels; limits: Labels };
  securityContext: Record<string, unknown>;
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  volumeMounts: { name: string; mountPath: string }[];
};

export type PodTemplate = {
  metadata: { labels: Labels; annotations?: Labels };
  spec: {
    serviceAccountName: string;
    terminationGracePeriodSeconds?: number;
    topologySpreadConstraints?: { topologyKey: string; labelSelector: Selector }[];
    containers: Container[];
    volumes: { name: string; emptyDir?: unknown }[];
    [key: string]: unknown;
  };
};

type Of<K extends string, Spec> = {
  apiVersion: string;
  kind: K;
  metadata: { name: string; namespace?: string; labels?: Labels; annotations?: Labels };
  spec: Spec;
};

type NetworkPeer = { ipBlock?: { cidr: string; except?: string[] } };
type NetworkRule = { from?: unknown[]; to?: NetworkPeer[]; ports?: { port: string }[] };

export type Deployment = Of<
  'Deployment',
  {
    replicas?: number;
    selector: Selector;
    strategy: { rollingUpdate: { maxUnavailable: number; maxSurge: number } };
    template: PodTemplate;
  }
>;
export type Job = Of<
  'Job',
  { activeDeadlineSeconds: number; ttlSecondsAfterFinished?: number; backoffLimit: number; template: PodTemplate }
>;
export type Service = Of<'Service', { selector: Labels; ports: { name: string; port: number; targetPort: string }[] }>;
export type NetworkPolicy = Of<
  'NetworkPolicy',
  { podSelector: Selector; policyTypes: string[]; ingress?: NetworkRule[]; egress?: NetworkRule[] }
>;
export type Budget = Of<'PodDisruptionBudget', { selector: Selector }>;
export type Autoscaler = Of<
  'HorizontalPodAutoscaler',
  { scaleTargetRef: { kind: string; name: string }; minReplicas: number; maxReplicas: number }
>;
export type ConfigMap = Of<'ConfigMap', never> & { data: Record<string, string> };
export type ServiceAccount = Of<'ServiceAccount', never> & { automountServiceAccountToken: boolean };
export type Namespace = Of<'Namespace', never>;

export type Manifest =
  | Deployment
  | Job
  | Service
  | NetworkPolicy
  | Budget
  | Autoscaler
  | ConfigMap
  | ServiceAccount
  | Namespace;

export type Workload = Deployment | Job;

export function ofKind<K extends Manifest['kind']>(manifests: Manifest[], kind: K): Extract<Manifest, { kind: K }>[] {
  return manifests.filter((manifest): manifest is Extract<Manifest, { kind: K }> => manifest.kind === kind);
}

export const workloads = (manifests: Manifest[]): Workload[] => [
  ...ofKind(manifests, 'Deployment'),
  ...ofKind(manifests, 'Job'),
];

/** Whether a selector matches a pod with these labels. */
export const selects = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

export const pods = (manifests: Manifest[]): PodTemplate[] => workloads(manifests).map(({ spec }) => spec.template);

export const containers = (manifests: Manifest[]): Container[] =>
  pods(manifests).flatMap(({ spec }) => spec.containers);

/** Which of the processes a manifest belongs to. */
export const component = ({ metadata }: Manifest): string | undefined =>
  metadata.labels?.['app.kubernetes.io/component'];

export const settings = (manifests: Manifest[]): Record<string, string> =>
  ofKind(manifests, 'ConfigMap')[0]?.data ?? {};

/** A container's variables that are not secret. */
export function environment(manifests: Manifest[], container: Container): Record<string, string | undefined> {
  const own = (container.env ?? []).map(({ name, value }) => [name, value] as const);
  const isConfigured = container.envFrom?.some(({ configMapRef }) => configMapRef);
  return { ...(isConfigured && settings(manifests)), ...Object.fromEntries(own) };
}

/** The Secrets whose entries are variables of a container. */
export const secretsOf = ({ envFrom = [] }: Container): string[] =>
  envFrom.flatMap(({ secretRef }) => (secretRef ? `${secretRef.name}${secretRef.optional ? '?' : ''}` : []));
