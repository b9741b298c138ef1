import { ServiceError } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import type { Previewed } from '@pts/db/trackings/preview';
import type { Registered, Registration } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';
import { previewAll, registerAll } from './register.ts';

/** An item of a bulk call, with its registration or the reason for its refusal. */
export type BulkItem<Given> = { given: Given; wanted: Registration | ServiceError };
/** A refused item and the reason. */
export type Refused<Given> = { given: Given; error: ServiceError };
/** An item that can be registered. */
export type Acceptable<Given> = { given: Given; registration: Registration };

/**
 * Registers the items of a bulk call. A refused item does not affect the others; new ones are charged
 * together, or, if the quota is too small for them, nothing is stored.
 * @throws ServiceError `quota_exhausted`.
 */
export async function registerMany<Given>(
  ctx: Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<{ trackings: Registered[]; refused: Refused<Given>[] }> {
  const { acceptable, refused } = splitItems(items);
  return { trackings: await registerAll(ctx, account, acceptable.map(registrationOf)), refused };
}

/** What `registerMany` would do now: nothing is stored, charged or queried. @throws ServiceError `quota_exhausted`. */
export async function previewMany<Given>(
  ctx: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<{ trackings: Previewed[]; refused: Refused<Given>[] }> {
  const { acceptable, refused } = splitItems(items);
  return { trackings: await previewAll(ctx, account, acceptable.map(registrationOf)), refused };
}

/** Items in two lists, each in their order. */
export function splitItems<Given>(items: readonly BulkItem<Given>[]): {
  acceptable: Acceptable<Given>[];
  refused: Refused<Given>[];
} {
  const acceptable: Acceptable<Given>[] = [];
  const refused: Refused<Given>[] = [];
  for (const { given, wanted } of items) {
    if (wanted instanceof ServiceError) refused.push({ given, error: wanted });
    else acceptable.push({ given, registration: wanted });
  }
  return { acceptable, refused };
}

export function registrationOf({ registration }: Pick<Acceptable<unknown>, 'registration'>): Registration {
  return registration;
}
