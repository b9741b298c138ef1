import type { Client } from '@pts/client/client';
import type { ItemError, WouldRegister } from '@pts/client/types';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useRef, useState } from 'react';
import { refreshShipments } from '../../data/shipments.ts';
import { useClient } from '../../session/client.tsx';

/** As many as are comfortable to look at; more belong into a file. */
export const MAX_PASTED = 1_000;
const PER_CALL = 40;

/** What a registration of a number would do, or why it is refused. */
export type Line = { number: string; would: WouldRegister } | { number: string; fault: ItemError };

type Looked = { lines: Line[]; cost: number; refused: number };

/** What the registration of these numbers would do; null until it is known. */
export function usePreview(numbers: readonly string[]): { result: Looked | null; error: unknown } {
  const client = useClient();
  const looked = useDeferredValue(numbers);
  const { data, error } = useQuery({
    queryKey: ['preview', looked],
    queryFn: ({ signal }) => look(client, looked, signal),
    enabled: looked.length > 0,
    staleTime: 0,
  });
  const isCurrent = looked === numbers || looked.join() === numbers.join();
  return { result: numbers.length > 0 && isCurrent ? (data ?? null) : null, error };
}

async function look(client: Client, numbers: readonly string[], signal: AbortSignal): Promise<Looked> {
  const result: Looked = { lines: [], cost: 0, refused: 0 };
  for (const some of chunks(numbers)) {
    const { success, error, would_charge } = await client.trackings.dryRunBatch(some, { signal });
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
  const run = async (numbers: readonly string[]): Promise<Outcome> => {
    isStopped.current = false;
    setError(null);
    setProgress({ total: numbers.length, done: 0 });
    const outcome: Outcome = { registered: 0, refused: [...numbers] };
    try {
      for (const some of chunks(numbers)) {
        if (isStopped.current) break;
        const { success, error: faults } = await client.trackings.batch(some);
        const refused = new Set(faults.map(({ index }) => some[index]));
        outcome.registered += success.length;
        outcome.refused = outcome.refused.filter((number) => !some.includes(number) || refused.has(number));
        setProgress({ total: numbers.length, done: outcome.registered + refused.size });
      }
    } catch (failure) {
      setError(failure);
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
