import { useLocation, useSearchParams } from 'wouter';

/** The state of an entry of the history that opens something over the view of the entry before it. */
export const OPENED = 'opened';

/** The query of the address. Changing it replaces nothing: Back leads to the state before, unless `replace` is set. */
export function useAddress() {
  const [path] = useLocation();
  const [params, setParams] = useSearchParams();
  return {
    get: (name: string): string | null => params.get(name),
    /** Sets these parameters, and removes those that are null. */
    set(changes: Changes, { replace = false } = {}): void {
      // The address may have changed since the last render.
      setParams(changed(location.search, changes), { replace, state: replace ? history.state : null });
    },
    /** Opens something over the view. */
    open: (changes: Changes): void => setParams(changed(location.search, changes), { state: OPENED }),
    /** Closes it as Back does: otherwise Back would lead from the view to the view. */
    close(changes: Changes): void {
      if (history.state === OPENED) history.back();
      else this.set(changes, { replace: true });
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
