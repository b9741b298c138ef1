import type { NewImport } from '@pts/client/background';
import type { Import } from '@pts/client/types';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';
import { createStore } from '../session/store.ts';
import { isOver } from './queries.ts';
import { refreshShipments } from './shipments.ts';

const WATCH_MS = 1_000;
const LIST_WATCH_MS = 3_000;

export type { Import, NewImport };
export type ImportField = NonNullable<Import['columns'][number]['field']>;

/** The last imports, newest first; followed while one of them is not over. */
export function useImports() {
  const client = useClient();
  return useQuery({
    queryKey: ['imports'],
    queryFn: async ({ signal }) => (await client.imports.list({ signal })).imports,
    refetchInterval: ({ state }) => (state.data?.every(isOver) === false ? LIST_WATCH_MS : false),
  });
}

/** One import, followed until it is over. */
export function useImport(id: string | null) {
  const client = useClient();
  const queries = useQueryClient();
  return useQuery({
    queryKey: ['import', id],
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<Import>(['import', id]);
      const found = await client.imports.one(id ?? '', { signal });
      if (before && !isOver(before) && isOver(found) && !found.dry_run) {
        void refreshShipments(queries);
        void queries.invalidateQueries({ queryKey: ['account'] });
      }
      return found;
    },
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? WATCH_MS : false),
  });
}

/** Uploads a file: to examine it, or to import it. */
export function useStartImport() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (file: NewImport) => client.imports.start(file),
    onSuccess: (started) => {
      queries.setQueryData(['import', started.id], started);
      void queries.invalidateQueries({ queryKey: ['imports'] });
    },
  });
}

/** Cancels an import; what it has registered stays. */
export function useCancelImport(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.imports.cancel(id),
    onSuccess: (cancelled) => {
      queries.setQueryData(['import', id], cancelled);
      void queries.invalidateQueries({ queryKey: ['imports'] });
    },
  });
}

/** A file that one view hands to the next, which imports it. */
const handed = createStore<File | null>(null);

export function handFile(file: File): void {
  handed.set(file);
}

/** The file that was handed on, once. */
export function takeHandedFile(): File | null {
  const file = handed.get();
  handed.set(null);
  return file;
}
