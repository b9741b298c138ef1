export type Level = 'debug' | 'info' | 'error';
export type Log = (level: Level, msg: string, fields?: Record<string, unknown>) => void;

/** One JSON line per entry, handed to `write`; debug entries only when asked for. */
export function createLog(write: (line: string) => void, now: () => Date, debug: boolean): Log {
  return (level, msg, fields) => {
    if (level === 'debug' && !debug) return;
    write(`${JSON.stringify({ level, time: now().toISOString(), app: 'sandbox-carrier', msg, ...fields })}\n`);
  };
}

export const silent: Log = () => {};
