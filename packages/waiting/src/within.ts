/**
 * Waits for `work`, but no longer than `ms`: then `late` says what to do instead, and may throw. Work that is done, and of which
 * this process was too busy to notice, is in time.
 */
export async function within<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const giveUp = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), ms);
  });
  try {
    return await Promise.race([work, giveUp.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
