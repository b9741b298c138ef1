/**
 * Names that no public receiver has, each with everything below it. `.example` is not among them: it resolves nowhere, and
 * documentation and tests need it.
 */
// biome-ignore format: one kind per line is readable as a table
const REFUSED: readonly (readonly [what: string, ...names: string[]])[] = [
  ['special use (RFC 6761, 6762, 7686, 9476)', 'localhost', 'local', 'test', 'invalid', 'onion', 'alt'],
  ["the infrastructure of the DNS, with home networks (RFC 3172, 8375)", 'arpa'],
  ['private networks: reserved by ICANN, or not delegated because so many use them', 'internal', 'intranet', 'intra', 'private', 'priv', 'corp', 'home', 'lan', 'mail', 'domain', 'localdomain', 'localdomain6', 'workgroup', 'dmz'],
  ['Kubernetes and other service discovery', 'svc', 'pod', 'default', 'cluster', 'consul', 'nomad', 'mesos', 'docker'],
  ['metadata of clouds', 'metadata.goog', 'metadata.tencentyun.com'],
  ['routers', 'fritz.box'],
];
const SUFFIXES = REFUSED.flatMap(([, ...names]) => names.map((name) => `.${name}`));

/** @param name in lower case, without a dot at its end. @returns the refused suffix that it ends in; undefined if none. */
export function refusedSuffix(name: string): string | undefined {
  return SUFFIXES.find((suffix) => `.${name}`.endsWith(suffix));
}
