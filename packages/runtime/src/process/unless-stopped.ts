/**
 * The callbacks for when a signal is aborted. One listener serves all: a signal searches a list for each that comes or
 * goes.
 */
const stopsOf = new WeakMap<AbortSignal, Set<() => void>>();

/** The result of `call`; null as soon as `signal` is aborted, even if the call ignores it. */
export async function unlessStopped<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T | null> {
  if (signal.aborted) return null;
  // Before the call's own listener: the result of an aborted call is not an answer of the other side.
  const stops = stopsOf.get(signal) ?? listen(signal);
  let stop = () => {};
  const stopped = new Promise<null>((resolve) => {
    stop = () => resolve(null);
  });
  stops.add(stop);
  try {
    return await Promise.race([stopped, call()]);
  } finally {
    stops.delete(stop);
  }
}

function listen(signal: AbortSignal): Set<() => void> {
  const stops = new Set<() => void>();
  const stopAll = () => {
    for (const stop of stops) stop();
  };
  stopsOf.set(signal, stops);
  signal.addEventListener('abort', stopAll, { once: true });
  return stops;
}
