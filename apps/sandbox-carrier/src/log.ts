export type Level = 'debug' | 'info' | 'error';
export type Log = (level: Level, msg: string, fields?: Record<string, unknown>) => void;

export const silent: Log = () => {};
