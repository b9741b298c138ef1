/** How the log says that an answer was late. Outside of a busy machine, none is. */
const LATE =
  /(?:answer(?:ed)?|response) within [\d.]+ m?s|timed out|timeout exceeded when trying to connect|due to (?:connection|statement|idle-in-transaction) timeout|due to user request|in the given time|expired transaction/;

/** The lines of these levels in a JSON log, except for those about a late answer. */
export function faultsIn(output: string, levels: readonly string[] = ['error', 'fatal']): string[] {
  const isFault = (line: string) => levels.some((level) => line.includes(`"level":"${level}"`)) && !LATE.test(line);
  return output.split('\n').filter(isFault);
}
