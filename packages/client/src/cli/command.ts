import { type ParseArgsConfig, parseArgs } from 'node:util';
import { columns } from '@pts/core/terminal';
import { parseInstant } from '@pts/core/time';
import type { Client } from '../client.ts';
import { CliError, EXIT } from './errors.ts';
import type { Settings } from './settings.ts';

/** The means that a command works with. */
export type Context = {
  /** @throws CliError if there is no address or no key */
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
  /**
   * The first line of stdin: after a question at a terminal, without echo if it is a secret. Empty if there is none.
   */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string>;
  /** Whether somebody can answer a question. */
  isInteractive: boolean;
};

/** `value` names the value of an option; without it, the option is a flag. */
type Option = {
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
  /** Further lines of the command's help. */
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

/** An id of the delivery log. One of 64 begins with a dash. */
const DASHED_ID = /^-[\w-]{26}$/;
/** `-created_at` */
const DASHED_VALUE = /^-[^-]./;

type Given = Record<string, string | boolean | string[] | undefined>;

/** A parsed command line. */
type Parsed =
  | { kind: 'help'; commands: readonly Command[] }
  | { kind: 'version' }
  | { kind: 'run'; command: Command; input: Given };

/**
 * Node's own `parseArgs` does the splitting. Commander was tried: alone it is larger than all of `pts` (127 KB against
 * 109 KB), it has no completion, and its messages name neither the field nor the fix. @throws CliError with the exit
 * code 2
 */
export function parse(argv: readonly string[], commands: readonly Command[]): Parsed {
  const words = argv.filter((arg) => arg !== '--json');
  const [first, ...rest] = words;
  if (first === undefined || ['help', '--help', '-h'].includes(first))
    return { kind: 'help', commands: rest.length > 0 ? named(rest, commands) : commands };
  if (first === '--version' || first === '-V') return { kind: 'version' };
  const command = commandOf(words, commands);
  if (command) return parseInput(command, words.slice(command.name.split(' ').length));
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && (rest.length === 0 || rest[0]?.startsWith('-'))) return { kind: 'help', commands: group };
  throw unknownCommand(group.length > 0 ? words.slice(0, 2) : [first], group.length > 0 ? group : commands);
}

/** The command that the first words name. */
function commandOf(words: readonly string[], commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
}

function named(words: readonly string[], commands: readonly Command[]): Command[] {
  const requested = words.join(' ');
  const found = commands.filter(({ name }) => name === requested || name.startsWith(`${requested} `));
  if (found.length === 0) throw unknownCommand(words, commands);
  return found;
}

function unknownCommand(words: readonly string[], known: readonly Command[]): CliError {
  const names = known.map(({ name }) => name).join(', ');
  return usageProblem(`There is no command "${words.join(' ')}". Commands: ${names}.`);
}

function parseInput(command: Command, args: string[]): Parsed {
  // Every user of the machine can read a command line, and the history of the shell keeps it.
  if (args.some((arg) => /^(?:--[\w-]+=)?(?:o?tk_|whsec_)\w/.test(arg)))
    throw usageProblem(
      'pts takes no keys and no secrets as arguments: other users and the history of your shell would see them. Use `pts login`, PTS_API_KEY or PTS_LISTEN_SECRET.',
    );
  const { values, positionals } = split(command, args);
  if (values.help) return { kind: 'help', commands: [command] };
  const { takes, options } = command;
  const min = takes.filter((name) => !name.endsWith('?')).length;
  if (positionals.length < min || positionals.length > takes.length) throw usageProblem(`Usage: ${synopsis(command)}`);
  for (const [at, value] of positionals.entries()) refuseEmpty(takes[at]?.replace('?', ''), value);
  check(takes[0], positionals[0], command.choices);
  for (const [name, { choices, isRequired }] of Object.entries(options)) {
    if (isRequired && values[name] === undefined)
      throw usageProblem(`--${name} is missing. Usage: ${synopsis(command)}`);
    const value = values[name];
    if (typeof value !== 'string') continue;
    refuseEmpty(`--${name}`, value);
    check(`--${name}`, value, choices);
  }
  const absent = Object.entries(options).map(([name, { value, isList }]) => [
    name,
    value === undefined ? false : isList ? [] : undefined,
  ]);
  const taken = takes.map((name, i) => [name.replace('?', ''), positionals[i]]);
  return { kind: 'run', command, input: { ...Object.fromEntries(absent), ...values, ...Object.fromEntries(taken) } };
}

/** The API would take it as left out: everything would be listed. */
function refuseEmpty(name: string | undefined, value: string): void {
  if (value.trim() === '') throw usageProblem(`${name} is empty: is a variable not set?`);
}

function check(name: string | undefined, value: string | undefined, choices: readonly string[] | undefined): void {
  if (value === undefined || choices === undefined || choices.includes(value)) return;
  throw usageProblem(`${name} must be one of ${choices.join(', ')}, not "${value}".`);
}

function split({ options, ...command }: Command, args: string[]): { values: Given; positionals: string[] } {
  const own = Object.entries(options).map(([name, { value, isList }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', multiple: isList === true } as const,
  ]);
  const config: NonNullable<ParseArgsConfig['options']> = {
    ...Object.fromEntries(own),
    help: { type: 'boolean', short: 'h' },
  };
  try {
    const words = withoutDoubt(args, config);
    const { values, positionals } = parseArgs({ args: words, options: config, allowPositionals: true });
    return { values: values as Given, positionals };
  } catch (error) {
    // The rest of Node's message suggests how to pass a positional argument that starts with a dash.
    const [text = ''] = (error as Error).message.split('. ');
    throw usageProblem(`${text.replace(/\.$/, '')}. Usage: ${synopsis({ ...command, options })}`);
  }
}

/** Node takes a word that begins with a dash for an option, unless it follows an equals sign or `--`. */
function withoutDoubt(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const [words, ids]: [string[], string[]] = [[], []];
  let isWanted = false;
  for (const word of args.slice(0, end)) {
    const option = word.startsWith('--') ? options[word.slice(2)] : undefined;
    const isId = option === undefined && DASHED_ID.test(word);
    if (isWanted && (isId || DASHED_VALUE.test(word))) words.push(`${words.pop()}=${word}`);
    else (isId ? ids : words).push(word);
    isWanted = !isWanted && option?.type === 'string';
  }
  return [...words, '--', ...ids, ...args.slice(end + 1)];
}

export function usageProblem(text: string): CliError {
  return new CliError(`${text}\n\`pts help\` lists the commands, and \`pts COMMAND --help\` explains one.`, EXIT.usage);
}

/** A command and what follows it: `pts webhooks add URL [--events LIST]`. */
function synopsis({ name, takes, options }: Command): string {
  const given = Object.entries(options).map(([option, { value, isRequired, isList }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`;
    return isRequired ? text : `[${text}]${isList ? '...' : ''}`;
  });
  return ['pts', name, ...argumentsOf(takes), ...given].join(' ');
}

function argumentsOf(takes: Command['takes']): string[] {
  return takes.map((one) => (one.endsWith('?') ? `[${one.slice(0, -1)}]` : one));
}

/** The help of a command, of a group of commands, or of all. */
export function helpFor(shown: readonly Command[], all: readonly Command[]): string {
  const [only] = shown;
  if (only && shown.length === 1) return helpForOne(only);
  const rows = shown.map(({ name, takes, about }) => [`  ${[name, ...argumentsOf(takes)].join(' ')}`, about]);
  const list = `Usage: pts COMMAND [OPTIONS]\n\n${columns(rows).join('\n')}\n`;
  if (shown.length < all.length) return `${list}\n\`pts COMMAND --help\` explains one.\n`;
  return `${list}
With every command:
  --json      the result as JSON: one document, or one object per line where it has no end; errors as JSON on stderr
  --help      explains the command
  --version   (without a command) the version of pts

Environment: PTS_URL and PTS_API_KEY (instead of \`pts login\`), PTS_LISTEN_SECRET (for \`pts listen\`)
Exit codes: ${EXIT.ok} success, ${EXIT.failed} refused or failed, ${EXIT.usage} invalid command line, ${EXIT.key} key missing or refused, ${EXIT.noAnswer} no answer,
  ${EXIT.notFound} not found, ${EXIT.limit} rate limit or quota, ${EXIT.interrupted} ended with Ctrl-C
`;
}

function helpForOne(command: Command): string {
  const rows = Object.entries(command.options).map(([name, { value, about, choices }]) => [
    `  --${name}${value === undefined ? '' : ` ${value}`}`,
    choices ? `${about}: ${choices.join(', ')}` : about,
  ]);
  const parts = [
    `Usage: ${synopsis(command)}`,
    command.about,
    rows.length > 0 ? columns(rows).join('\n') : '',
    (command.details ?? []).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The first argument with which the shells' completions ask for candidates. */
export const COMPLETE = '__complete';

/**
 * The words that may take the place of the last one: commands, options, or the values of an argument.
 * @param words those after `pts`; the last one is being typed.
 */
export function candidates(words: readonly string[], commands: readonly Command[]): string[] {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  return allOf(before, commands).filter((one) => one.startsWith(typed));
}

function allOf(before: readonly string[], commands: readonly Command[]): readonly string[] {
  const command = commandOf(before, commands);
  if (!command) return [...nextWords(before, ['help', ...commands.map(({ name }) => name)])];
  const option = before.at(-1)?.replace(/^--/, '') ?? '';
  const { value, choices } = command.options[option] ?? {};
  if (before.at(-1)?.startsWith('--') && value !== undefined) return choices ?? [];
  const options = [...Object.keys(command.options), 'json', 'help'].map((name) => `--${name}`);
  return [...(command.choices ?? []), ...options.filter((name) => !before.includes(name))];
}

/** `add` after `webhooks`. */
function nextWords(before: readonly string[], names: readonly string[]): Set<string> {
  const matching = names.map((name) => name.split(' ')).filter((words) => before.every((word, i) => words[i] === word));
  return new Set(matching.flatMap((words) => words[before.length] ?? []));
}

/** @throws CliError unless the text is a whole number of this range */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  throw usageProblem(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/** @throws CliError unless the text is a time as the service reads it */
export function instant(name: string, text: string): string {
  if (parseInstant(text) !== null) return text;
  throw usageProblem(
    `${name} must be a time with a time zone (RFC 3339), such as 2026-03-01T16:00:00Z, not "${text}".`,
  );
}
