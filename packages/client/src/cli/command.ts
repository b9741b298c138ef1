import type { Client } from '../client.ts';
import type { Settings } from './settings.ts';

/** What a command works with. */
export type Context = {
  /** @throws Problem if there is no address or no key */
  client(options?: { isPatient?: boolean }): Client;
  settings: Settings;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  now(): Date;
  /** Whether results are JSON. */
  isJson: boolean;
  /** Prints a result: its JSON, or its lines for people. */
  print(value: unknown, lines: () => readonly string[]): void;
  /** Prints text as it is, also with --json. */
  raw(text: string): void;
  /** A remark for people on stderr. Nothing with --json. */
  note(line: string): void;
  /** Replaces the last progress on a terminal; elsewhere nothing. The empty text removes it. */
  progress(text: string): void;
  /** The first line of stdin: after a question at a terminal, without echo if it is a secret. Empty if there is none. */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string>;
  /** Whether somebody can answer a question. */
  isInteractive: boolean;
};

/** `value` names the value of an option; without it, the option is a flag. */
export type Option = {
  about: string;
  value?: string;
  /** The option may be repeated. */
  isList?: true;
  isRequired?: true;
  choices?: readonly string[];
};

/** One command as data: parsing, help, completion and errors derive from it. */
export type Command = {
  name: string;
  about: string;
  /** The positional arguments, in order. `ID?` may be omitted. */
  takes: readonly string[];
  /** The values of the first argument, if only these are allowed. */
  choices?: readonly string[];
  options: Readonly<Record<string, Option>>;
  /** What else its help says. */
  details?: readonly string[];
  /** @returns the exit code; 0 if none */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  run(context: Context, input: never): Promise<number | void>;
};

type OptionValue<O> = O extends { value: string; isList: true }
  ? readonly string[]
  : O extends { value: string; isRequired: true }
    ? string
    : O extends { value: string }
      ? string | undefined
      : boolean;

/** A command's arguments and options, by name. */
type Input<T extends readonly string[], O> = {
  readonly [K in T[number] as K extends `${infer Name}?` ? Name : K]: K extends `${string}?`
    ? string | undefined
    : string;
} & { readonly [K in keyof O]: OptionValue<O[K]> };

/** Declares a command; the type of its input derives from its arguments and options. */
export function command<const T extends readonly string[], const O extends Command['options']>(
  spec: Omit<Command, 'takes' | 'options' | 'run'> & {
    takes: T;
    options: O;
    // biome-ignore lint/suspicious/noConfusingVoidType: as above
    run(context: Context, input: Input<T, O>): Promise<number | void>;
  },
): Command {
  return spec as unknown as Command;
}
