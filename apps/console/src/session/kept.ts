/** The items that a tab, or a browser, keeps. */
export type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * The storage, or this page's memory where the browser refuses any: with all cookies blocked, even reading it throws.
 */
export function keptIn(storage: () => Kept): Kept {
  try {
    return storage();
  } catch {
    const kept = new Map<string, string>();
    return {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    };
  }
}

/** Items that are kept as long as the tab is open. */
export const tab = keptIn(() => sessionStorage);
/** For this browser. */
export const browser = keptIn(() => localStorage);
