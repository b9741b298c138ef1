/** The numbers of a stream that have no answer yet. */
export type Waiting = ReturnType<typeof createWaiting>;

export function createWaiting() {
  const indexes = new Map<string, number[]>();
  const signalled = new Set<string>();
  let hasInputEnded = false;
  let notify = () => {};
  let cursor: Iterator<string> | null = null;
  return {
    size: () => indexes.size,
    /** A number that was registered before may already have its answer: it is checked as if it had been signalled. */
    add(id: string, index: number) {
      const places = indexes.get(id);
      if (places) places.push(index);
      else indexes.set(id, [index]);
      signalled.add(id);
      notify();
    },
    answered(ids: readonly string[]) {
      let isOurs = false;
      for (const id of ids) {
        if (!indexes.has(id)) continue;
        signalled.add(id);
        isOurs = true;
      }
      if (isOurs) notify();
    },
    inputEnded() {
      hasInputEnded = true;
      notify();
    },
    hasInputEnded: () => hasInputEnded,
    isDone: () => hasInputEnded && indexes.size === 0,
    /** Resolves once there is something to do: true if numbers were signalled, false if it is time to look for lost signals. */
    change(pollMs: number, ended: AbortSignal): Promise<boolean> {
      if (signalled.size > 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          ended.removeEventListener('abort', done);
          notify = () => {};
          resolve(signalled.size > 0);
        };
        const timer = setTimeout(done, pollMs);
        ended.addEventListener('abort', done);
        notify = done;
      });
    },
    takeSignalled(max: number): string[] {
      const taken: string[] = [];
      for (const id of signalled) {
        if (taken.length === max) break;
        signalled.delete(id);
        taken.push(id);
      }
      return taken;
    },
    /** The next of all waiting numbers, round robin. */
    lookAt(max: number): string[] {
      const taken: string[] = [];
      cursor ??= indexes.keys();
      for (let next = cursor.next(); taken.length < max; next = cursor.next()) {
        if (next.done) {
          cursor = null;
          break;
        }
        taken.push(next.value);
      }
      return taken;
    },
    remove(id: string): number[] {
      const places = indexes.get(id) ?? [];
      indexes.delete(id);
      signalled.delete(id);
      return places;
    },
    rest: () => [...indexes],
    close() {
      indexes.clear();
      signalled.clear();
    },
  };
}
