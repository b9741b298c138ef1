/** Where the console keeps its key, too: in this tab, until it is closed. */
export const API_KEY = 'pts.api-key';

/** The storage, where the browser allows any: with all cookies blocked, even reading it throws. */
export function kept(storage: () => Storage): Storage | undefined {
  try {
    return storage();
  } catch {
    return undefined;
  }
}
