import { isForbidden } from '@pts/client/errors';
import type { DeliveryFilter } from '@pts/client/lists';
import type {
  Delivery,
  DeliveryDetails,
  NewWebhook,
  ReplayRange,
  Webhook,
  WebhookChange,
  WebhookToTest,
} from '@pts/client/types';
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';
import { useMay } from './account.ts';
import { useForget } from './queries.ts';

const WATCH_MS = 5_000;
const RUNNING_MS = 2_000;
const REGISTRATION = ['register a webhook'];

export type { Delivery, DeliveryDetails, DeliveryFilter, Webhook, WebhookChange };

/** The account's endpoints: ten at most, so one of them is read from the list, too. */
export function useWebhooks() {
  const client = useClient();
  const may = useMay();
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => (await client.webhooks.list({ signal })).webhooks,
    enabled: may('webhooks'),
    // Until it is known what the key may do, a refusal ends the reads.
    refetchInterval: ({ state }) => (isForbidden(state.error) ? false : WATCH_MS),
  });
}

/** Refreshes the queries that a change of an endpoint makes out of date. */
function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['webhooks'] });
}

export function useRegisterWebhook() {
  const client = useClient();
  const refresh = useRefresh();
  const registration = useMutation({
    mutationKey: REGISTRATION,
    mutationFn: (webhook: NewWebhook) => client.webhooks.register(webhook),
    onSuccess: refresh,
  });
  return { ...registration, forget: useForget(REGISTRATION, registration.reset) };
}

export function useChangeWebhook(id: string) {
  const client = useClient();
  const refresh = useRefresh();
  return useMutation({ mutationFn: (change: WebhookChange) => client.webhooks.patch(id, change), onSuccess: refresh });
}

export function useDeleteWebhook(id: string) {
  const client = useClient();
  const refresh = useRefresh();
  return useMutation({ mutationFn: () => client.webhooks.delete(id), onSuccess: refresh });
}

export function useRotateSecret(id: string) {
  const client = useClient();
  const refresh = useRefresh();
  return useMutation({ mutationFn: () => client.webhooks.rotateSecret(id), onSuccess: refresh });
}

/** A signed ping; the log has it, as it has every test. */
export function usePing(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({ mutationFn: () => client.webhooks.test(id), onSuccess: () => void refreshDeliveries(queries) });
}

export type TestPush = Required<Pick<WebhookToTest, 'kind' | 'event'>>;

/** One push, right or wrong on purpose. */
export function useSendTest(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (push: TestPush) => client.webhooks.sendTest(id, push),
    onSuccess: () => void refreshDeliveries(queries),
  });
}

/** A preview of a test push; nothing is sent. */
export function useTestPreview(id: string, push: TestPush) {
  const client = useClient();
  return useQuery({
    queryKey: ['test-preview', id, push],
    queryFn: async ({ signal }) => (await client.webhooks.previewTest(id, push, { signal })).push,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Four pings: a valid, a stale, a tampered and a duplicate one. */
export function useCheckWebhook(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({ mutationFn: () => client.webhooks.check(id), onSuccess: () => void refreshDeliveries(queries) });
}

/** The log of attempts, newest first, page after page. @param from the cursor of the first page; null: the newest */
export function useDeliveries(filter: DeliveryFilter, from: string | null) {
  const client = useClient();
  const may = useMay();
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: ['deliveries', filter, from],
      queryFn: ({ pageParam, signal }) =>
        client.webhooks.deliveries({ ...filter, parcels: true, before: pageParam }, { signal }),
      initialPageParam: from ?? undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
      placeholderData: (before) => before,
      enabled: may('webhooks'),
    }),
  );
}

/** One attempt in full. */
export function useDelivery(id: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => client.webhooks.delivery(id, { signal }),
  });
}

export function useRedeliver() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => client.webhooks.redeliver(id),
    onSuccess: () => refreshDeliveries(queries),
  });
}

/** Reads again what pushes change. */
export function refreshDeliveries(queries: QueryClient): Promise<unknown> {
  const keys = ['deliveries', 'delivery', 'webhooks'];
  return Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}

/** The replays of an endpoint; followed closely while one runs. */
export function useReplays(id: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['replays', id],
    queryFn: async ({ signal }) => (await client.webhooks.replays(id, { signal })).replays,
    refetchInterval: ({ state }) => (state.data?.some((replay) => replay.state === 'running') ? RUNNING_MS : false),
  });
}

/** Counts what a replay would send. */
export function useCountReplay(id: string) {
  const client = useClient();
  return useMutation({ mutationFn: (range: ReplayRange) => client.webhooks.countReplay(id, range) });
}

export function useReplay(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ since, until }: ReplayRange) => client.webhooks.replay(id, { since, ...(until && { until }) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['replays', id] }),
  });
}

export function useCancelReplay(id: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (replayId: string) => client.webhooks.cancelReplay(id, replayId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['replays', id] }),
  });
}
