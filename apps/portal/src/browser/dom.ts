export function all<E extends Element>(selector: string, within: ParentNode = document): E[] {
  return Array.from(within.querySelectorAll<E>(selector));
}

/** @throws an Error if the page has no such element: the layout and the script do not match. */
export function one<E extends Element>(selector: string, within: ParentNode = document): E {
  const found = within.querySelector<E>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}

export function root(): HTMLElement {
  return document.documentElement;
}

/** Where the console keeps its key, too: in this tab, until it is closed. */
export const API_KEY = 'pts.api-key';

/** Does what the browser allows: with all cookies blocked, even reading a storage throws. */
export function allowed<T>(get: () => T): T | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}

/** The address of the service, below which are the portal and the API. */
export function serviceAddress(): string {
  return new URL('.', new URL(root().dataset.root ?? '', location.href)).href.replace(/\/$/, '');
}
