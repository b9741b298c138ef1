import { messageOf } from '@pts/db/errors';
import { StepFailure } from './failure.ts';

/** The result of one step. */
export type StepReport = { name: string; ok: boolean; ms: number; said: string; hint?: string };

/** The value of a step for later steps, and its report. */
export type Held<T> = { value: T; said: string };

/** Runs one step, reports it, and returns its value. @throws the error of the step, after reporting it */
export type RunStep = <T>(name: string, work: () => Promise<Held<T>>) => Promise<T>;

/** Runs steps one after the other and prints a line after each. */
export function createSteps(out: (line: string) => void): { run: RunStep; reports: StepReport[] } {
  const reports: StepReport[] = [];
  const report = (step: StepReport) => {
    reports.push(step);
    for (const line of linesOf(step)) out(line);
  };
  const run: RunStep = async (name, work) => {
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      const { value, said } = await work();
      report({ name, ok: true, ms: ms(), said });
      return value;
    } catch (error) {
      const hint = error instanceof StepFailure ? error.hint : undefined;
      const said = messageOf(error);
      report({ name, ok: false, ms: ms(), said, ...(hint === undefined ? {} : { hint }) });
      throw error;
    }
  };
  return { run, reports };
}

function linesOf({ name, ok, ms, said, hint }: StepReport): string[] {
  const line = `${ok ? '✓' : '✗'} ${name.padEnd(24)} ${seconds(ms).padStart(7)}  ${said}`;
  return hint === undefined ? [line] : [line, `  ${hint}`];
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 1000 ? 3 : 1)} s`;
}
