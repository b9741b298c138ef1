import { type Command as CommandOf, commandsOf } from '@pts/client/cli/kit';
import { columns } from '@pts/core/terminal';

/** Where a command runs. */
export type Context = {
  env: NodeJS.ProcessEnv;
  /** The checkout, or the folder of the image, that relative paths start from. */
  root: string;
  now(): Date;
  /** Whether results are JSON. */
  isJson: boolean;
  /** A line of the result that is printed at once. Nothing with --json. */
  out(line: string): void;
  /** A note on stderr. Nothing with --json. */
  note(line: string): void;
  /** A line of an endless result; also printed with --json. */
  line(text: string): void;
  /** Whether the output is a terminal, for colours. */
  isTerminal: boolean;
  /** All of stdin, as text. */
  input(): Promise<string>;
  /** Reads a secret from stdin without echo. Empty if there is none. */
  askSecret(question: string): Promise<string>;
  /** Aborts on Ctrl-C; a command that uses it must then stop on its own. */
  interrupted(): AbortSignal;
};

/** The result of a command: text lines and a JSON document. */
export type Report = {
  lines: readonly string[];
  /** Undefined if everything was already printed. */
  json: unknown;
  /** The command ran, but its check failed: exit code 1. */
  failed?: boolean;
  /** A failure after the result, for stderr: exit code 1. */
  fault?: string;
  /** The accounts that it was about, for the audit log; default: the one that the command line names. */
  accountIds?: readonly string[];
};

/** Rows under a heading, or a sentence if there are none. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], none: string): string[] {
  return rows.length === 0 ? [none] : columns([heading, ...rows]);
}

export type Command = CommandOf<Context, Report>;

/** Declares a command of operators. */
export const command = commandsOf<Context, Report>();
