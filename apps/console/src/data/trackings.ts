import { isApiError } from '@pts/client/errors';
import type { PageSettingsChange, Tracking, TrackingChange } from '@pts/client/types';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';
import { readAgain, useForget } from './queries.ts';
import { dropShipment, showDropped } from './shipments.ts';

const EXPLAIN_EVERY_MS = 30_000;
const EVENTS_EVERY_MS = 5_000;

/** Reads all about a parcel again: the record, the explanation and the events. */
export async function refreshTracking(queries: QueryClient, id: string): Promise<void> {
  const kinds = ['tracking', 'explanation', 'tracking-events'];
  await Promise.all(kinds.map((kind) => readAgain(queries, [kind, id])));
}

const FACTS = ['problem', 'milestones', 'proof', 'scans', 'pickup'] as const;

/** A parcel in full. */
export function useTracking(id: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['tracking', id],
    queryFn: ({ signal }) => client.trackings.one(id, { signal, include: FACTS }),
  });
}

/** Why it is where it is, and when it is checked next. */
export function useExplanation(id: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['explanation', id],
    queryFn: ({ signal }) => client.trackings.explain(id, { signal }),
    refetchInterval: EXPLAIN_EVERY_MS,
  });
}

/** The events that a tracking emitted, and what became of each push. */
export function useTrackingEvents(id: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['tracking-events', id],
    queryFn: ({ signal }) => client.trackings.events(id, { signal }),
    refetchInterval: EVENTS_EVERY_MS,
  });
}

export function useChangeTracking(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  const mutationKey = ['change a parcel', id];
  const change = useMutation({
    mutationKey,
    mutationFn: (change: TrackingChange) => client.trackings.update(id, change, { include: FACTS }),
    onSuccess: (tracking: Tracking) => {
      queries.setQueryData(['tracking', id], tracking);
      // Also ends a read that began before the change, and would undo it.
      void refreshTracking(queries, id);
    },
  });
  return { ...change, forget: useForget(mutationKey, change.reset) };
}

/** Asks the carrier now, which is possible once an hour. */
export function useRetrack(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.trackings.retrack(id),
    onSuccess: () => void refreshTracking(queries, id),
  });
}

/** Ends the checks; the parcel stays. */
export function useStop(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.trackings.stop(id),
    onSuccess: () => void refreshTracking(queries, id),
  });
}

/** The service restores this many at once. */
const RESTORED_AT_ONCE = 100;

/** Removes a parcel, and brings parcels back for a day. The lists change at once. */
export function useRemoval() {
  const client = useClient();
  const queries = useQueryClient();
  return {
    /** One that is gone already is removed, by another one or by an attempt whose answer was lost. */
    async remove(id: string): Promise<void> {
      try {
        await client.trackings.delete(id);
      } catch (error) {
        if (!isApiError(error, 'not_found', 'not_registered')) throw error;
      }
      dropShipment(queries, id);
    },
    /** @returns how many are not back: too much time has passed, or their numbers are registered again. */
    async restore(ids: readonly string[]): Promise<number> {
      let missing = 0;
      for (let at = 0; at < ids.length; at += RESTORED_AT_ONCE) {
        const { not_restored: not } = await client.trackings.restore({ ids: ids.slice(at, at + RESTORED_AT_ONCE) });
        missing += not.length;
      }
      await Promise.all(ids.map((id) => queries.invalidateQueries({ queryKey: ['tracking', id] })));
      showDropped(queries, ids);
      return missing;
    },
    /** Brings all parcels back that a bulk action has removed. */
    async restoreBulk(bulkActionId: string): Promise<void> {
      for (let more = true; more; ) ({ more } = await client.trackings.restore({ bulk_action_id: bulkActionId }));
      showDropped(queries, []);
    },
  };
}

/** Whether the account's parcels have pages for their buyers. */
export function usePages({ isEnabled }: { isEnabled: boolean }) {
  const client = useClient();
  return useQuery({
    queryKey: ['pages'],
    queryFn: ({ signal }) => client.account.pages({ signal }),
    enabled: isEnabled,
  });
}

/** Changes how the pages look, or turns them on, for all parcels. */
export function useChangePages() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: PageSettingsChange) => client.account.changePages(change),
    onSuccess: (pages) => {
      queries.setQueryData(['pages'], pages);
      return queries.invalidateQueries({ queryKey: ['tracking'] });
    },
  });
}

/** Another link to the buyer's page, or none; the former one stops working. */
export function useChangeLink(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: 'renew' | 'revoke') =>
      change === 'renew' ? client.trackings.renewPage(id) : client.trackings.revokePage(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tracking', id] }),
  });
}
