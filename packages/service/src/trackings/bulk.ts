import { ServiceError } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import type { Previewed, Registered, Registration } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';
import { previewAll, registerAll } from './register.ts';

/** An item of a bulk call as it was given, and what is to be registered for it, or why nothing is. */
export type BulkItem<Given> = { given: Given; wanted: Registration | ServiceError };
/** An item that was refused, and why. */
export type Refused<Given> = { given: Given; error: ServiceError };
/** An item that can be registered. */
export type Acceptable<Given> = { given: Given; registration: Registration };

/**
 * Registers the items of a bulk call. A refused item does not keep the others back; those that are new are charged
 * together, or, when the quota is too small for them, nothing is stored.
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

/** What `registerMany` would do now: nothing is stored, charged or asked. @throws ServiceError `quota_exhausted`. */
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
