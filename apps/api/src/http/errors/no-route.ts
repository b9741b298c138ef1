import { ServiceError } from '@pts/core/errors';
import type { Route, StreamOperation } from '../operation.ts';

type AnyRoute = Pick<Route | StreamOperation, 'method' | 'path'>;

const PREFIX = '/api/v1';
/** Prefixes that are left out, repeated or of another version. */
const PREFIXES = /^(\/(api|v\d{1,3})){1,9}(?=\/)/i;
const ID = /^(?:[0-9a-f]{24}|\d{1,18}|[A-Za-z0-9_-]{27})$/;

/** The error for an unknown path. If it is that of an operation without its prefix, or in capitals, it says which to use. */
export function noRoute(
  operations: readonly AnyRoute[],
  { method, path }: { method: string; path: string },
): ServiceError {
  const given = path.replace(PREFIXES, '').replace(/\/$/, '').split('/');
  const meant = operations.filter((operation) => fits(operation.path.split('/'), given));
  const [first] = meant;
  if (!first) return new ServiceError('not_found', { text: `No such route: ${method} ${path}.` });
  const methods = meant
    .filter((operation) => operation.path === first.path)
    .map((operation) => operation.method.toUpperCase());
  const known = first.path.split('/').map((part, n) => (part.startsWith(':') ? given[n] : part));
  return new ServiceError('not_found', {
    text: `No such route: ${method} ${path}. Use ${methods.join(' or ')} ${PREFIX}${known.join('/')}.`,
  });
}

function fits(known: readonly string[], given: readonly string[]): boolean {
  if (known.length !== given.length) return false;
  return known.every((part, n) => (part.startsWith(':') ? ID.test(given[n] ?? '') : part === given[n]?.toLowerCase()));
}
