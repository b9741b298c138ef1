/** The result of `call`; null as soon as `signal` is aborted, even if the call ignores it. */
export async function unlessStopped<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T | null> {
  if (signal.aborted) return null;
  let stop = () => {};
  const stopped = new Promise<null>((resolve) => {
    stop = () => resolve(null);
  });
  // Before the call's own listener: the result of an aborted call is not an answer of the provider.
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped, call()]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
