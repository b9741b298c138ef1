/** How the log says that an answer was late. Outside of a busy machine, none is. */
const LATE =
  /answer(?:ed)? within [\d.]+ m?s|Operation has timed out|timeout exceeded when trying to connect|due to (?:connection|statement|user request|idle-in-transaction)/;

/** The lines of these levels in a JSON log, except for those about a late answer. */
export function faultsIn(output: string, levels: readonly string[] = ['error', 'fatal']): string[] {
  const lines = output.split('\n').filter((line) => levels.some((level) => line.includes(`"level":"${level}"`)));
  return lines.filter((line) => !LATE.test(line));
}
