const EVERY_MS = 1000;

/** Shows the progress of long work, once a second: `seeded 120,000 of 1,000,000 (12 %), 8,000/s, 110 s left`. */
export function showProgress(total: number, write: (line: string) => void, nowMs = () => performance.now()) {
  const startedAt = nowMs();
  let shownAt = startedAt;
  return (done: number): void => {
    if (done < total && nowMs() - shownAt < EVERY_MS) return;
    shownAt = nowMs();
    write(progressLine(done, total, (shownAt - startedAt) / 1000));
  };
}

export function progressLine(done: number, total: number, seconds: number): string {
  const rate = done / Math.max(seconds, 0.001);
  const percent = Math.floor((done / total) * 100);
  const rest = done < total ? `${Math.ceil((total - done) / rate)} s left` : `${seconds.toFixed(1)} s`;
  const counted = (value: number) => Math.round(value).toLocaleString('en-US');
  return `seeded ${counted(done)} of ${counted(total)} (${percent} %), ${counted(rate)}/s, ${rest}`;
}
