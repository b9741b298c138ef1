import { createStore } from '../session/store.ts';

/** What assistive technology reads out next, politely. */
export const announcement = createStore('');

export function announce(message: string): void {
  // The same words again are read again only if the text changes.
  announcement.set(announcement.get() === message ? `${message}\u00a0` : message);
}
