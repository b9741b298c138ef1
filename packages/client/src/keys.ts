import { type CallOptions, call } from './request.ts';
import type * as t from './types.ts';
import type { Wire } from './wire.ts';

/** The keys of the account, for keys with the scope `admin`. */
export function keysOf(wire: Wire) {
  return {
    /** Creates a key with at most what the own key has. The key is only in this answer. */
    create: (key: t.NewApiKey, options?: CallOptions) =>
      call<t.CreatedApiKey>(wire, 'createKey', { body: key }, options),
    /** All keys, without the keys themselves. */
    list: (options?: CallOptions) => call<t.ApiKeys>(wire, 'listKeys', {}, options),
    /** Revokes a key within a second. The last one with the scope `admin` cannot be revoked. */
    revoke: (id: string, options?: CallOptions) => call<t.RevokedApiKey>(wire, 'revokeKey', { id }, options),
  };
}
