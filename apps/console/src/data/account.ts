import type { AccountChange, Me } from '@pts/client/types';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';
import { SERVICE_URL, watchedFetch } from '../session/connection.ts';

const QUOTA_EVERY_MS = 60_000;
const COURIERS_FRESH_MS = 60 * 60_000;

/** The quota of this month. */
export function useAccount() {
  const client = useClient();
  return useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => client.account.get({ signal }),
    refetchInterval: QUOTA_EVERY_MS,
  });
}

const NOTICES = 5;

/** The notices about the account, newest first, page after page. */
export function useNotices() {
  const client = useClient();
  return useInfiniteQuery({
    queryKey: ['notices'],
    queryFn: ({ pageParam: before, signal }) => client.account.notices({ limit: NOTICES, before }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_before ?? undefined,
    refetchInterval: QUOTA_EVERY_MS,
  });
}

/** Parts of the description of the API: the limit that the requests of an operation count against. */
type Described = Readonly<Record<string, { 'x-rate-limit'?: { name: string; requests: number; per: string } }>>;

/** How many requests a second an account may send, by limit, with the operations that count against it. */
export function useRequestLimits({ isEnabled }: { isEnabled: boolean }) {
  return useQuery({
    queryKey: ['request-limits'],
    queryFn: async ({ signal }) => {
      const response = await watchedFetch(`${SERVICE_URL}/openapi.json`, { signal });
      if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
      const { paths } = (await response.json()) as { paths: Readonly<Record<string, Described>> };
      const limits = new Map<string, { name: string; requests: number; operations: string[] }>();
      for (const [path, methods] of Object.entries(paths))
        for (const [method, { 'x-rate-limit': limit }] of Object.entries(methods)) {
          if (limit?.per !== 'account') continue;
          const { operations } = limits.get(limit.name) ?? {};
          const named = `${method.toUpperCase()} ${path}`;
          limits.set(limit.name, { ...limit, operations: [...(operations ?? []), named] });
        }
      return [...limits.values()];
    },
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Changes what answers and pushes have, and when parcels need attention. */
export function useChangeAccount() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: AccountChange) => client.account.change(change),
    onSuccess: (account) => {
      queries.setQueryData(['account'], account);
      return queries.invalidateQueries({ queryKey: ['newest', 'attention'] });
    },
  });
}

/** Whose key it is. */
export function useMe() {
  const client = useClient();
  return useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => client.auth.me({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type Scope = Me['key']['scopes'][number];

/**
 * Whether the key, or the role of the person, allows what a scope does. Until that is known, everything is offered: the
 * service refuses it.
 */
export function useMay(): (scope: Scope) => boolean {
  const { data: me } = useMe();
  return (scope) => me?.key.scopes.includes(scope) ?? true;
}

/** Whether the carriers of the account's parcels are checked in time, by their code. */
export function useCouriersHealth() {
  const client = useClient();
  return useQuery({
    queryKey: ['couriers', 'health'],
    queryFn: async ({ signal }) => {
      const { couriers } = await client.carriers.health({ signal });
      return new Map(couriers.map((one) => [one.courier_code, one]));
    },
    refetchInterval: QUOTA_EVERY_MS,
  });
}

/** All carriers. */
export function useCouriers() {
  const client = useClient();
  return useQuery({
    queryKey: ['couriers'],
    queryFn: async ({ signal }) => (await client.carriers.all({ signal })).couriers,
    staleTime: COURIERS_FRESH_MS,
  });
}
