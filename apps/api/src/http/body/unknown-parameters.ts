import { namesIn, queryParameters } from '@pts/contract/openapi/parameters';
import type { Fault } from '@pts/core/errors';
import { likeliest, sentInstead } from '@pts/core/sent-instead';
import type { Operation, Route, StreamOperation } from '../operation.ts';
import { unknownFields } from './unknown-fields.ts';

/**
 * Parameters that change no operation's answer: `lang` where there are no texts, and what clients and proxies add so that no
 * cache answers, such as `_=1763688852`.
 */
const HARMLESS = /^(?:lang$|_)/;

/**
 * The parameters of a query that an operation does not have, with what to send instead. A filter that is ignored would give
 * wrong data, and an ignored `dry_run` would be charged. The API family of /v4 ignores them.
 */
export function unknownParameters(entry: Route | StreamOperation): (query: object) => Fault[] {
  if (!isDocumented(entry)) return () => [];
  const { properties, required = [] } = queryParameters(entry);
  const names = Object.keys(properties);
  const inBody = entry.input === 'body' && 'properties' in entry.request ? (entry.request.properties as object) : {};
  const inPath = namesIn(entry.path);
  const meantBy = (sent: string) => likeliest(sent, names);
  const otherwise = (sent: string): string => {
    if (inPath.includes(sent)) return 'is unknown: it is a part of the path';
    if (Object.hasOwn(inBody, sent)) return 'is unknown in the address: send it in the body';
    if (names.length === 0) return 'is unknown: this operation takes no parameters';
    return `is unknown: this operation takes ${names.join(', ')}`;
  };
  return (query) => {
    // The message about a missing parameter names the one that was sent in its place.
    const missing = required.filter((name) => !Object.hasOwn(query, name));
    const isReported = (sent: string) => missing.some((name) => sentInstead(name, { [sent]: null }) !== undefined);
    const given = Object.entries(query).filter(([name]) => !HARMLESS.test(name) && !isReported(name));
    return unknownFields(Object.fromEntries(given), properties, { otherwise, meantBy });
  };
}

/** Whether an operation is in the reference: those of /v4 are the API family's. */
function isDocumented(entry: Route | StreamOperation): entry is Operation | StreamOperation {
  return 'doc' in entry;
}
