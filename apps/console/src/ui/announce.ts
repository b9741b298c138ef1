import { createStore } from '../session/store.ts';

/** What assistive technology announces next, politely. */
export const announcement = createStore('');

export function announce(message: string): void {
  // Repeated words are announced again only if the text changes.
  announcement.set(announcement.get() === message ? `${message}\u00a0` : message);
}
