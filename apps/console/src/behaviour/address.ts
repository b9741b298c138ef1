import { useSearchParams } from 'wouter';

/** The query of the address. Changing it replaces nothing: Back leads to the state before, unless `replace` is set. */
export function useAddress() {
  const [params, setParams] = useSearchParams();
  return {
    get: (name: string): string | null => params.get(name),
    /** Sets these parameters, and removes those that are null. */
    set(changes: Readonly<Record<string, string | null>>, { replace = false } = {}): void {
      // The address may have changed since the last render.
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) next.delete(name);
        else next.set(name, value);
      }
      setParams(next, { replace });
    },
  };
}
