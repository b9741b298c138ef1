import fc from 'fast-check';
import type { Operation } from '../http/operation.ts';
import { fitting, hostileText, hostileValue, nearlyFitting } from './arbitrary.ts';

/** A request before it is sent: its texts may have placeholders. */
export type FuzzRequest = {
  method: string;
  /** The prefix of the endpoint's path. */
  base: string;
  headers: Record<string, string>;
  /** As the endpoint declares it. */
  endpoint: string;
  params: Record<string, string>;
  query: [string, string][];
  body: string | Uint8Array | null;
};

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** A few, so that requests share them. */
const IDEMPOTENCY_KEYS = fc.constantFrom('k1', 'k2', 'k3', '~'.repeat(255), '~'.repeat(256), 'a b', '');

/** The parts of requests. */
export type Input = Pick<Operation, 'method' | 'path' | 'input' | 'request'> & {
  doc: Pick<Operation['doc'], 'requestBody' | 'otherBody' | 'query'>;
};

/** Requests to one endpoint: valid, nearly valid and hostile ones. */
export function requestsTo(endpoint: Input, base: string): fc.Arbitrary<FuzzRequest> {
  const { requestBody, otherBody } = endpoint.doc;
  const body = requestBody ?? endpoint.request;
  const schema = otherBody ? { anyOf: [body, otherBody] } : body;
  const input = fc.oneof(
    { weight: 5, arbitrary: fitting(schema) },
    { weight: 4, arbitrary: nearlyFitting(schema) },
    { weight: 1, arbitrary: hostileValue },
  );
  const query = fc.dictionary(fc.oneof(hostileText, fc.constantFrom('dry_run', 'limit', '__proto__')), hostileText, {
    maxKeys: 3,
  });
  const broken = fc.tuple(fc.nat(), fc.nat(255));
  return fc
    .record({
      input,
      own: ownParams(endpoint),
      also: rarely(query),
      extra: endpoint.doc.query ? rarely(fitting(endpoint.doc.query)) : fc.constant(null),
      broken: rarely(broken),
      twice: rarely(fc.boolean()),
      once: endpoint.method === 'post' ? rarely(IDEMPOTENCY_KEYS) : fc.constant(null),
    })
    .map(({ input: given, own, also, extra, broken: cut, twice, once }) => {
      const plain = isRecord(given) ? given : {};
      const params = Object.fromEntries(
        Object.keys(own).map((name) => [
          name,
          typeof plain[name] === 'string' && cut ? String(plain[name]) : (own[name] ?? ''),
        ]),
      );
      const requested = endpoint.input === 'query' ? pairs(plain) : [];
      const query = [
        ...requested,
        ...(twice ? requested.slice(0, 1) : []),
        ...pairs(also ?? {}),
        ...pairs(isRecord(extra) ? extra : {}),
      ];
      return {
        method: endpoint.method.toUpperCase(),
        base,
        headers: {
          ...(endpoint.input === 'body' ? { 'Content-Type': 'application/json' } : {}),
          ...(once === null ? {} : { 'Idempotency-Key': once }),
        },
        endpoint: endpoint.path,
        params,
        query,
        body: endpoint.input === 'body' ? bodyOf(given, cut) : null,
      };
    });
}

/** The value in the path: mostly an existing object. */
function ownParams({ path }: Input): fc.Arbitrary<Record<string, string>> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const text = (name: string) =>
    fc.oneof(
      { weight: 8, arbitrary: fc.constant(name === 'replay_id' ? '$replay' : '$own') },
      { weight: 1, arbitrary: hostileText },
      { weight: 1, arbitrary: fc.constantFrom('$tracking', '$webhook', '$delivery') },
    );
  return fc.record(Object.fromEntries(names.map((name) => [name, text(name)])));
}

/** JSON, occasionally with a corrupted byte. */
function bodyOf(input: unknown, cut: [number, number] | null): string | Uint8Array {
  const text = JSON.stringify(input) ?? '';
  if (!cut) return text;
  const bytes = Buffer.from(text);
  if (bytes.length > 0) bytes[cut[0] % bytes.length] = cut[1];
  return bytes;
}

function pairs(record: Record<string, unknown>): [string, string][] {
  return Object.entries(record).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  ]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
