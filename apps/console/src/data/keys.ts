import type { ApiKeys, CreatedApiKey, NewApiKey } from '@pts/client/types';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';
import { useMay } from './account.ts';
import { useForget } from './queries.ts';

export type ApiKey = ApiKeys['keys'][number];
export type { CreatedApiKey };

const CREATION = ['create a key'];

/** The keys of the account, for keys with the scope `admin`. */
export function useKeys() {
  const client = useClient();
  const may = useMay();
  return useQuery({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await client.keys.list({ signal })).keys,
    enabled: may('admin'),
  });
}

/** Creates a key, which is only in the answer. */
export function useCreateKey() {
  const client = useClient();
  const queries = useQueryClient();
  const creation = useMutation({
    mutationKey: CREATION,
    mutationFn: (key: NewApiKey) => client.keys.create(key),
    // Not kept longer than it is shown.
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  return { ...creation, forget: useForget(CREATION, creation.reset) };
}
