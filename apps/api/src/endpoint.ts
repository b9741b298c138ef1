import type { Infer } from '@pts/contract/infer';
import type { KeyHolder } from '@pts/db/accounts';
import type { ApiDeps } from './deps.ts';
import type { LimitName } from './limits.ts';

/** Where an endpoint's input comes from. Path parameters are always texts. */
type Source = 'body' | 'query' | 'params';

/** Who asks: the account, the key it came with, and under which address of ours. */
export type Caller = KeyHolder & { baseUrl: string };

/** An operation of the API as data; `mount.ts` alone knows authentication, limits, envelope and errors. */
export type Endpoint = {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below /api/v1, in Express's form. */
  path: string;
  limit: LimitName;
  input: Source | null;
  request: object;
  response: object;
  /** Whether the answer carries an ETag and may be answered 304. */
  cacheable?: true;
  run(deps: ApiDeps, caller: Caller, input: never): Promise<object>;
};

/** Declares an endpoint: the type of `run`'s input is made from its request schema. */
export function endpoint<const S extends object>(
  spec: Omit<Endpoint, 'run' | 'request'> & {
    request: S;
    run(deps: ApiDeps, caller: Caller, input: Infer<S>): Promise<object>;
  },
): Endpoint {
  return spec as unknown as Endpoint;
}

/** The request schema of endpoints that take nothing. */
export const NO_INPUT = { type: 'object' } as const;

/** The request schema of endpoints that read their body themselves, because it has several forms. */
export const ANY_INPUT = {} as const;
