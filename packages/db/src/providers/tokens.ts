import type { StoredToken, TokenStore } from '@pts/core/provider';
import type { Db } from '../connection.ts';
import { column, columns, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';

/** How long a process that was killed while it fetched a token blocks the others. A token request takes less. */
const LEASE_SECONDS = 20;
/** Rows of unused credentials are kept for this long after their token has expired. */
const KEPT_DAYS = 7;

const TOKEN = columns({
  sealed: column<StoredToken['sealed'] | null>('t.sealed'),
  refreshInSeconds: column<number | null>('extract(epoch FROM t.refresh_at - now())::float8'),
  expiresInSeconds: column<number | null>('extract(epoch FROM t.expires_at - now())::float8'),
});

/** The access tokens of providers, shared by all processes. All times are from the database's clock. */
export function tokenStore(db: Db): TokenStore {
  return {
    take: async ({ provider, credentials }, rejected) => {
      const leased = await db.$executeRaw`
        INSERT INTO public.provider_tokens AS t (provider, credentials, leased_until)
        VALUES (${provider}, ${credentials}, now() + make_interval(secs => ${LEASE_SECONDS}))
        ON CONFLICT (provider, credentials) DO UPDATE SET leased_until = EXCLUDED.leased_until
        WHERE (t.leased_until IS NULL OR t.leased_until <= now())
          AND (t.sealed IS NULL OR t.sealed = ${rejected} OR t.refresh_at <= now())`;
      const [row] = await rows(
        db,
        TOKEN,
        (list) => Prisma.sql`
          SELECT ${list} FROM public.provider_tokens t WHERE provider = ${provider} AND credentials = ${credentials}`,
      );
      return { hasLease: leased > 0, token: row && row.sealed !== rejected ? usable(row) : null };
    },
    put: async ({ provider, credentials }, { sealed, refreshInSeconds, expiresInSeconds }) => {
      await db.$executeRaw`
        UPDATE public.provider_tokens SET sealed = ${sealed}, leased_until = NULL,
          refresh_at = now() + make_interval(secs => ${refreshInSeconds}::float8),
          expires_at = now() + make_interval(secs => ${expiresInSeconds}::float8)
        WHERE provider = ${provider} AND credentials = ${credentials}`;
      await db.$executeRaw`
        DELETE FROM public.provider_tokens
        WHERE provider = ${provider} AND credentials <> ${credentials} AND expires_at < now() - make_interval(days => ${KEPT_DAYS})`;
    },
    release: async ({ provider, credentials }) => {
      await db.$executeRaw`
        UPDATE public.provider_tokens SET leased_until = NULL
        WHERE provider = ${provider} AND credentials = ${credentials}`;
    },
  };
}

function usable(row: { [K in keyof StoredToken]: StoredToken[K] | null }): StoredToken | null {
  const { sealed, refreshInSeconds, expiresInSeconds } = row;
  if (sealed === null || refreshInSeconds === null || expiresInSeconds === null || expiresInSeconds <= 0) return null;
  return { sealed, refreshInSeconds, expiresInSeconds };
}
