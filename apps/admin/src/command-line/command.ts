/** Where a command runs. */
export type Context = {
  env: NodeJS.ProcessEnv;
  /** The checkout, or the folder of the image, that relative paths start from. */
  root: string;
  now(): Date;
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
  /** What went wrong after the result, for stderr: exit code 1. */
  fault?: string;
  /** The accounts that it was about, for the audit log; default: the one that the command line names. */
  accountIds?: readonly string[];
};

/** `value` names the value of the option; without it, the option is a flag. */
export type Option = { about: string; value?: string; required?: true };

/** One command as data; parsing, usage and errors derive from it. */
export type Command = {
  name: string;
  /** The positional arguments, in order; all are required. */
  takes: readonly string[];
  /** The name of a repeatable last argument. */
  more?: string;
  options: Readonly<Record<string, Option>>;
  about: string;
  /** Environment variables for secrets, which must not be options. */
  secrets?: Readonly<Record<string, string>>;
  run(context: Context, input: never): Promise<Report>;
};

/** A command's arguments and options by name. */
export type Input<T extends readonly string[], O> = { readonly [K in T[number]]: string } & {
  readonly [K in keyof O]: O[K] extends { value: string; required: true }
    ? string
    : O[K] extends { value: string }
      ? string | undefined
      : boolean;
};

/** The repeatable arguments, if the command has any. */
type More<M> = M extends string ? { readonly more: readonly string[] } : unknown;

export type Spec<T extends readonly string[], O> = Pick<Command, 'name' | 'about' | 'secrets'> & {
  takes: T;
  options: O;
};

/** Declares a command: the input type of `run` derives from its arguments and options. */
export function command<
  const T extends readonly string[],
  const O extends Command['options'],
  const M extends string | undefined = undefined,
>(spec: Spec<T, O> & { more?: M; run(context: Context, input: Input<T, O> & More<M>): Promise<Report> }): Command {
  return spec as unknown as Command;
}
