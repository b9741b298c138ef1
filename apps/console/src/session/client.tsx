import { type Client, createClient } from '@pts/client/client';
import { NoAnswerError } from '@pts/client/errors';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { spoken } from '../i18n/language.ts';
import { noteFailure, noteRead, SERVICE_URL, watchedFetch } from './connection.ts';
import { endIfRefused, endOfSession } from './session.ts';
import { useStore } from './store.ts';

/** A longer wait is shown, with its end, instead of retrying silently. */
const MAX_SILENT_WAIT_MS = 4_000;
const FRESH_MS = 10_000;
const KEPT_MS = 30 * 60_000;

export function clientOf(apiKey: string): Client {
  return createClient({
    baseUrl: SERVICE_URL,
    apiKey,
    fetch: watchedFetch,
    maxRetries: 2,
    maxRetryDelayMs: MAX_SILENT_WAIT_MS,
    onRetry: ({ error }) => {
      if (isTimeout(error)) throw error;
    },
    userAgent: 'console',
  });
}

/** It has taken long enough: the reader decides whether to wait once more. */
function isTimeout(error: Error): boolean {
  return error instanceof NoAnswerError && error.reason === 'timeout';
}

const ClientContext = createContext<Client | null>(null);

/** The API, with the key of the session. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === null) throw new Error('nobody is signed in');
  return client;
}

/** Everything below reads with this key. A refused key ends the session, and everything that was read is dropped. */
export function SignedIn({ apiKey, children }: { apiKey: string; children: ReactNode }) {
  const client = useMemo(() => clientOf(apiKey), [apiKey]);
  const queries = useMemo(createQueries, []);
  useEffect(() => () => queries.clear(), [queries]);
  const { language } = useStore(spoken);
  // What the service says was read in the language from before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the language is why
  useEffect(() => void queries.invalidateQueries(), [language, queries]);
  return (
    <ClientContext value={client}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ClientContext>
  );
}

/** The client retries what may be repeated, so queries do not. */
function createQueries(): QueryClient {
  const ended = endOfSession();
  // Changes go on when their session has ended: they must not end the next one.
  const onError = (error: Error) => void endIfRefused(error, ended);
  return new QueryClient({
    queryCache: new QueryCache({
      onSuccess: (_data, query) => noteRead(query),
      onError: (error, query) => {
        noteFailure(error, query);
        onError(error);
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', staleTime: FRESH_MS, gcTime: KEPT_MS },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
