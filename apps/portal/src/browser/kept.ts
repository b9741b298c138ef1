/** The storage, where the browser allows any: with all cookies blocked, even reading it throws. */
export function kept(storage: () => Storage): Storage | undefined {
  try {
    return storage();
  } catch {
    return undefined;
  }
}
