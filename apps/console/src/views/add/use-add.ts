import type { Client } from '@pts/client/client';
import type { ItemError, NewTracking, WouldRegister } from '@pts/client/types';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useSettled } from '../../behaviour/settled.ts';
import { refreshShipments } from '../../data/shipments.ts';
import { useClient } from '../../session/client.tsx';
import { endIfRefused, endOfSession, session } from '../../session/session.ts';
import { createStore } from '../../session/store.ts';

/** More than this belong into a file. */
export const MAX_PASTED = 1_000;
const PER_CALL = 40;

/** What all numbers of one registration share. */
export type Shared = Omit<NewTracking, 'tracking_number'>;

/** What is typed, kept while another view is shown; not for the next one who signs in. */
export const draft = createStore('');
export const sharedDraft = createStore<Shared>({});
session.subscribe(() => {
  draft.set('');
  sharedDraft.set({});
});

/** What a registration of a number would do, or why it is refused. */
export type Line = { number: string; would: WouldRegister } | { number: string; fault: ItemError };

type Looked = { lines: Line[]; cost: number; refused: number };

/** What the registration of these numbers would do; null until it is known. */
export function usePreview(numbers: readonly string[], shared: Shared) {
  const client = useClient();
  const { settled, isSettled } = useSettled({ numbers, shared });
  const { data, error, refetch } = useQuery({
    queryKey: ['preview', settled],
    queryFn: ({ signal }) => look(client, settled.numbers, settled.shared, signal),
    enabled: settled.numbers.length > 0,
    staleTime: 0,
  });
  return { result: numbers.length > 0 && isSettled ? (data ?? null) : null, error, refetch };
}

async function look(client: Client, numbers: readonly string[], shared: Shared, signal: AbortSignal): Promise<Looked> {
  const result: Looked = { lines: [], cost: 0, refused: 0 };
  for (const some of chunks(numbers)) {
    const { success, error, would_charge } = await client.trackings.dryRunBatch(withShared(some, shared), { signal });
    const faults = new Map(error.map((fault) => [fault.index, fault]));
    const accepted = success.values();
    result.lines.push(...some.map((number, index) => lineOf(number, faults.get(index), accepted)));
    result.cost += would_charge;
    result.refused += error.length;
  }
  return result;
}

/** Accepted numbers come in the order in which they were sent. */
function lineOf(number: string, fault: ItemError | undefined, accepted: Iterator<WouldRegister>): Line {
  if (fault) return { number, fault };
  const { value } = accepted.next();
  if (value === undefined) throw new Error(`the dry run says nothing about ${number}`);
  return { number, would: value };
}

type Progress = { total: number; done: number };
type Outcome = { registered: number; refused: string[] };

/** Registers numbers, 40 at a time, until all are sent or it is stopped. */
export function useRegistration() {
  const client = useClient();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);
  const run = async (numbers: readonly string[], shared: Shared): Promise<Outcome> => {
    isStopped.current = false;
    const ended = endOfSession();
    setError(null);
    setProgress({ total: numbers.length, done: 0 });
    const outcome: Outcome = { registered: 0, refused: [...numbers] };
    let done = 0;
    try {
      for (const some of chunks(numbers)) {
        if (isStopped.current || ended.aborted) break;
        const { success, error: faults } = await client.trackings.batch(withShared(some, shared));
        const refused = new Set(faults.map(({ index }) => some[index]));
        outcome.registered += success.length;
        outcome.refused = outcome.refused.filter((number) => !some.includes(number) || refused.has(number));
        done += some.length;
        setProgress({ total: numbers.length, done });
      }
    } catch (failure) {
      setError(failure);
      endIfRefused(failure, ended);
    }
    setProgress(null);
    void refreshShipments(queries);
    void queries.invalidateQueries({ queryKey: ['account'] });
    return outcome;
  };
  return {
    run,
    progress,
    error,
    stop: () => {
      isStopped.current = true;
    },
  };
}

function chunks(numbers: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(numbers.length / PER_CALL) }, (_, at) =>
    numbers.slice(at * PER_CALL, (at + 1) * PER_CALL),
  );
}

function withShared(numbers: readonly string[], shared: Shared): NewTracking[] {
  return numbers.map((tracking_number) => ({ tracking_number, ...shared }));
}
