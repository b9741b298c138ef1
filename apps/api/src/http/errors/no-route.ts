import { ServiceError } from '@pts/core/errors';
import { lettersOf } from '@pts/core/sent-instead';
import type { Route, StreamOperation } from '../operation.ts';

type AnyRoute = Pick<Route | StreamOperation, 'method' | 'path'>;

const PREFIX = '/api/v1';
/** Prefixes that are left out, repeated or of another version. */
const PREFIXES = /^(\/(api|v\d{1,3})){1,9}(?=\/)/i;
const ID = /^(?:[0-9a-f]{24}|\d{1,18})$/;

/**
 * The error for an unknown path. If it is that of an operation without its prefix, in capitals, in the singular or with a slash too
 * many, it says which to use.
 */
export function noRoute(
  operations: readonly AnyRoute[],
  { method, path }: { method: string; path: string },
): ServiceError {
  const given = path.replaceAll(/\/\/+/g, '/').replace(PREFIXES, '').replace(/\/$/, '').split('/');
  const exact = operations.filter((operation) => fits(operation.path.split('/'), given, (word) => word.toLowerCase()));
  const meant = exact.length > 0 ? exact : operations.filter(({ path }) => fits(path.split('/'), given, lettersOf));
  const [first] = meant;
  if (!first) {
    // An address that ends with a slash, or a variable that is not set.
    const why = path.includes('//') ? ' A part of the path is empty: is an id missing?' : '';
    return new ServiceError('not_found', { text: `No such route: ${method} ${path}.${why}` });
  }
  const methods = meant
    .filter((operation) => operation.path === first.path)
    .map((operation) => operation.method.toUpperCase());
  const known = first.path.split('/').map((part, n) => (part.startsWith(':') ? given[n] : part));
  return new ServiceError('not_found', {
    text: `No such route: ${method} ${path}. Use ${methods.join(' or ')} ${PREFIX}${known.join('/')}.`,
  });
}

function fits(known: readonly string[], given: readonly string[], formOf: (word: string) => string): boolean {
  if (known.length !== given.length) return false;
  return known.every((part, n) => {
    const word = given[n] ?? '';
    return part.startsWith(':') ? ID.test(word) : formOf(part) === formOf(word);
  });
}
