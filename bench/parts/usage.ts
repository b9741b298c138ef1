import { readdirSync, readFileSync } from 'node:fs';

/** CPU time and memory of processes. Linux only. */
export type Usage = { cpuMs: number; memoryBytes: number };

/** From `/proc/<pid>/stat`: its own ticks, and those of its children that have ended. */
export type ProcessStat = { ppid: number; ticks: number; endedTicks: number };

/** A tick of the kernel's accounting: `getconf CLK_TCK` is 100 on all usual systems. */
const TICK_MS = 10;

/** The usage of a process and of all its descendants, including those that have ended. Shared memory counts once. */
export function usageOf(pid: number): Usage {
  const stats = allStats();
  const pids = withDescendants(pid, stats);
  const root = stats.get(pid);
  const ticks = pids.reduce((sum, each) => sum + (stats.get(each)?.ticks ?? 0), root?.endedTicks ?? 0);
  const memory = pids.map(memoryOf);
  const shared = Math.max(0, ...memory.map((each) => each.shared));
  return { cpuMs: ticks * TICK_MS, memoryBytes: memory.reduce((sum, each) => sum + each.own, shared) };
}

/** Adds up the usage of several processes. */
export function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce((sum, { cpuMs, memoryBytes }) => ({
    cpuMs: sum.cpuMs + cpuMs,
    memoryBytes: sum.memoryBytes + memoryBytes,
  }));
}

/** @throws if the text is not from that file. */
export function parseStat(text: string): ProcessStat {
  // The name in parentheses may have spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (place: number) => {
    const value = Number(fields[place - 3]);
    if (!Number.isFinite(value)) throw new Error(`field ${place} of a process is not a number`);
    return value;
  };
  return { ppid: number(4), ticks: number(14) + number(15), endedTicks: number(16) + number(17) };
}

/** The parent of a process. */
export function parentOf(pid: number): number {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).ppid;
}

function withDescendants(pid: number, stats: ReadonlyMap<number, ProcessStat>): number[] {
  const found = [pid];
  // The list grows while it is read.
  for (const parent of found) for (const [child, { ppid }] of stats) if (ppid === parent) found.push(child);
  return found;
}

function allStats(): Map<number, ProcessStat> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      const text = readOf(pid, 'stat');
      return text === '' ? [] : [[Number(pid), parseStat(text)] as const];
    }),
  );
}

function memoryOf(pid: number): { own: number; shared: number } {
  const status = readOf(String(pid), 'status');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { own: bytes('RssAnon'), shared: bytes('RssFile') + bytes('RssShmem') };
}

/** A process may end while it is inspected. */
function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
