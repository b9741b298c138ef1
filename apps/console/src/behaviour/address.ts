import { useLocation, useSearchParams } from 'wouter';

/** The query of the address. Changing it replaces nothing: Back leads to the state before, unless `replace` is set. */
export function useAddress() {
  const [path] = useLocation();
  const [params, setParams] = useSearchParams();
  return {
    get: (name: string): string | null => params.get(name),
    /** Sets these parameters, and removes those that are null. */
    set(changes: Changes, { replace = false } = {}): void {
      // The address may have changed since the last render.
      setParams(changed(location.search, changes), { replace });
    },
    /** Where a link leads that does the same. */
    with: (changes: Changes): string => `${path}?${changed(params, changes)}`,
  };
}

type Changes = Readonly<Record<string, string | null>>;

function changed(query: string | URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next;
}
