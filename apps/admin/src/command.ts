/** Where a command runs. */
export type Context = {
  env: NodeJS.ProcessEnv;
  /** The checkout, or the folder of the image, that relative paths start from. */
  root: string;
  now(): Date;
  /** A line of the result that cannot wait for the rest. Nothing with --json. */
  out(line: string): void;
  /** A remark beside the result, on stderr. Nothing with --json. */
  note(line: string): void;
  /** A line of a result that has no end, for people as for programs: written also with --json. */
  line(text: string): void;
  /** Whether people read along, so that colours are of use. */
  isTerminal: boolean;
  /** All of stdin, as text. */
  input(): Promise<string>;
  /** Asks for a secret, which does not show: a line of stdin. Empty when there is none. */
  askSecret(question: string): Promise<string>;
  /** Aborts when the command is asked to stop (Ctrl-C); who asks for it must stop by itself. */
  interrupted(): AbortSignal;
};

/** What a command has to tell: lines for people, one document for programs. */
export type Told = {
  lines: readonly string[];
  /** Undefined where all is told already. */
  json: unknown;
  /** It ran, and found what it looks at wanting: exit code 1. */
  failed?: boolean;
};

/** `value` names what follows the option; without it the option is a flag. */
export type Option = { about: string; value?: string; required?: true };

/** One operation of the command line as data; parsing, usage and errors are made from it. */
export type Command = {
  name: string;
  /** What follows the name, in order; all of it is required. */
  takes: readonly string[];
  /** The name of arguments that come once or more, behind the others. */
  more?: string;
  options: Readonly<Record<string, Option>>;
  about: string;
  /** Environment variables for what is secret, and what must therefore not be an option. */
  secrets?: Readonly<Record<string, string>>;
  run(context: Context, input: never): Promise<Told>;
};

/** A command's arguments and options by name. */
export type Input<T extends readonly string[], O> = { readonly [K in T[number]]: string } & {
  readonly [K in keyof O]: O[K] extends { value: string; required: true }
    ? string
    : O[K] extends { value: string }
      ? string | undefined
      : boolean;
};

/** The arguments that come once or more, of a command that takes such. */
type More<M> = M extends string ? { readonly more: readonly string[] } : unknown;

export type Spec<T extends readonly string[], O> = Pick<Command, 'name' | 'about' | 'secrets'> & {
  takes: T;
  options: O;
};

/** Declares a command: the type of `run`'s input is made from what it takes. */
export function command<
  const T extends readonly string[],
  const O extends Command['options'],
  const M extends string | undefined = undefined,
>(spec: Spec<T, O> & { more?: M; run(context: Context, input: Input<T, O> & More<M>): Promise<Told> }): Command {
  return spec as unknown as Command;
}
