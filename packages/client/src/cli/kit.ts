import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { columns } from '@pts/core/terminal';

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
export type Command<Context = never, Result = unknown> = {
  name: string;
  about: string;
  /** The positional arguments, in order. `id?` may be omitted, `file...` repeated, `number...?` both. */
  takes: readonly string[];
  /** The values of the first argument, if only these are allowed. */
  choices?: readonly string[];
  options: Readonly<Record<string, Option>>;
  /** Further lines of the command's help. */
  details?: readonly string[];
  /** Environment variables for secrets, which must not be options. */
  secrets?: Readonly<Record<string, string>>;
  run(context: Context, input: never): Promise<Result>;
};

type OptionValue<O> = O extends { value: string; isList: true }
  ? readonly string[]
  : O extends { value: string; choices: readonly (infer Choice)[] }
    ? Choice | undefined
    : O extends { value: string; isRequired: true }
      ? string
      : O extends { value: string }
        ? string | undefined
        : boolean;

type NameOf<T> = T extends `${infer Name}...?` | `${infer Name}...` ? Name : T extends `${infer Name}?` ? Name : T;
type ValueOf<T> = T extends `${string}...?` | `${string}...`
  ? readonly string[]
  : T extends `${string}?`
    ? string | undefined
    : string;

/** A command's arguments and options, by name. */
export type Input<T extends readonly string[], O> = { readonly [K in T[number] as NameOf<K>]: ValueOf<K> } & {
  readonly [K in keyof O]: OptionValue<O[K]>;
};

export type Spec<T extends readonly string[], O> = Omit<Command, 'takes' | 'options' | 'run'> & {
  takes: T;
  options: O;
};

/** Makes the function that declares a program's commands; the type of their input derives from what they take. */
export function commandsOf<Context, Result>() {
  return <const T extends readonly string[], const O extends Command['options']>(
    spec: Spec<T, O> & { run(context: Context, input: Input<T, O>): Promise<Result> },
  ) => spec as unknown as Command<Context, Result>;
}

/** A command line with its commands, in the order of its help. */
export type Program<C extends Command = Command> = {
  /** The text that is typed before a command, such as `pts`. */
  name: string;
  version: string;
  commands: readonly C[];
  /** Where secrets belong if a command does not name variables for them. */
  secretsBelong: string;
  /** The last lines of the help: its environment and exit codes. */
  notes: string;
};

/** A problem that the user can fix: shown without a stack. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exit: number;

  constructor(message: string, exit = 1) {
    super(message);
    this.exit = exit;
  }
}

/** The command line is invalid. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(message, 2);
  }
}

/** The advice that follows the message of a `UsageError`. */
export function adviceOnUsage({ name }: Program): string {
  return `For a list of commands, run \`${name} help\`. For help with a command, run \`${name} COMMAND --help\`.`;
}

type Given = Record<string, string | boolean | readonly string[] | undefined>;

/** A parsed command line: a command to run, or text to print. */
type Parsed<C> = { kind: 'text'; text: string } | { kind: 'run'; command: C; input: Given };

/** The first argument with which the shells' completions ask for candidates. */
export const COMPLETE = '__complete';

/**
 * Node's own `parseArgs` does the splitting. Commander was tried: decision 0059 has the figures. `--json` may stand
 * anywhere. @throws UsageError
 */
export function parse<C extends Command>(argv: readonly string[], program: Program<C>): Parsed<C> {
  const { commands, version } = program;
  if (argv[0] === COMPLETE) return textOf(candidates(argv.slice(1), commands).map((one) => `${one}\n`));
  const words = argv.filter((arg) => arg !== '--json');
  const [first, ...rest] = words;
  if (first === undefined || ['help', '--help', '-h'].includes(first))
    return textOf([helpFor(rest.length > 0 ? named(rest, commands) : commands, program)]);
  if (first === '--version' || first === '-V') return textOf([`${version}\n`]);
  const command = commandOf(words, commands);
  if (command) return parseInput(command, words.slice(command.name.split(' ').length), program);
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && (rest.length === 0 || rest[0]?.startsWith('-'))) return textOf([helpFor(group, program)]);
  if (first.startsWith('-')) throw new UsageError(`Options come after the command. Move ${first} after it.`);
  throw group.length > 0 ? unknownCommand(words.slice(0, 2), group) : unknownCommand([first], commands);
}

function textOf(parts: readonly string[]): { kind: 'text'; text: string } {
  return { kind: 'text', text: parts.join('') };
}

/** The command that the first words name. */
function commandOf<C extends Command>(words: readonly string[], commands: readonly C[]): C | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
}

function named(words: readonly string[], commands: readonly Command[]): Command[] {
  const requested = words.join(' ');
  const found = commands.filter(({ name }) => name === requested || name.startsWith(`${requested} `));
  if (found.length === 0) throw unknownCommand(words, commands);
  return found;
}

function unknownCommand(words: readonly string[], known: readonly Command[]): UsageError {
  const names = known.map(({ name }) => (words.length > 1 ? name : name.split(' ')[0]));
  return new UsageError(`Unknown command "${words.join(' ')}". Commands: ${[...new Set(names)].join(', ')}.`);
}

function parseInput<C extends Command>(command: C, args: string[], program: Program): Parsed<C> {
  refuseSecrets(command, args, program);
  const usage = `Usage: ${synopsis(command, program)}`;
  const { values, positionals } = split(command, args, usage);
  if (values.help) return textOf([helpFor([command], program)]);
  const { takes, options } = command;
  const min = takes.filter((one) => !one.endsWith('?')).length;
  const isRepeated = /\.\.\.\??$/.test(takes.at(-1) ?? '');
  if (positionals.length < min || (positionals.length > takes.length && !isRepeated))
    throw new UsageError(`${command.name} takes ${argumentsOf(command).join(' ') || 'no arguments'}. ${usage}`);
  for (const [at, value] of positionals.entries()) refuseEmpty(placeholder(takes[at] ?? takes.at(-1) ?? ''), value);
  const [first] = positionals;
  if (first !== undefined && command.choices) chosen(placeholder(takes[0] ?? ''), first, command.choices);
  for (const [name, { choices, isRequired }] of Object.entries(options)) {
    const value = values[name];
    if (isRequired && value === undefined) throw new UsageError(`--${name} is missing. ${usage}`);
    if (typeof value !== 'string') continue;
    refuseEmpty(`--${name}`, value);
    if (choices) chosen(`--${name}`, value, choices);
  }
  const absent = Object.entries(options).map(([name, { value, isList }]) => [
    name,
    value === undefined ? false : isList ? [] : undefined,
  ]);
  const taken = takes.map((one, i) => [
    one.replace(MARKS, ''),
    one.includes('...') ? positionals.slice(i) : positionals[i],
  ]);
  return { kind: 'run', command, input: { ...Object.fromEntries(absent), ...values, ...Object.fromEntries(taken) } };
}

const SECRET = /^(?:--[\w-]+=)?(?:o?tk_|whsec_)\w/;

/** Every user of the machine can read a command line, and the history of the shell keeps it. */
function refuseSecrets({ name, takes, secrets = {} }: Command, args: readonly string[], program: Program): void {
  const variables = Object.entries(secrets);
  const option = variables.find(([known]) => args.some((arg) => arg === `--${known}` || arg.startsWith(`--${known}=`)));
  const isMore = takes.length > 0 && args.filter((arg) => !arg.startsWith('-')).length > takes.length;
  if (!option && !args.some((arg) => SECRET.test(arg)) && !(variables.length > 0 && isMore)) return;
  const usable = (option ? [option] : variables).map(([, variable]) => variable);
  const instead = usable.length > 0 ? `Set ${usable.join(' or ')} in the environment instead.` : program.secretsBelong;
  throw new UsageError(
    `${name} does not accept keys or secrets as arguments, because other users and the shell history would see them. ${instead}`,
  );
}

/** A variable that is not set may not widen a request: without its value, a filter would match everything. */
function refuseEmpty(name: string, value: string): void {
  if (value.trim() === '') throw new UsageError(`${name} is empty. Is a variable not set?`);
}

/** @throws UsageError unless the text is one of the choices */
export function chosen<const Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${name} must be one of ${choices.join(', ')}, not "${text}".`);
}

function split({ options }: Command, args: string[], usage: string): { values: Given; positionals: string[] } {
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
    throw new UsageError(`${text.replace(/\.$/, '')}. ${usage}`);
  }
}

/** An id of the delivery log. One of 64 begins with a dash. */
const DASHED_ID = /^-[\w-]{26}$/;
/** `-created_at` */
const DASHED_VALUE = /^-[^-]./;

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
  const rest = [...ids, ...args.slice(end + 1)];
  return rest.length > 0 ? [...words, '--', ...rest] : words;
}

/** A command and what follows it: `pts webhooks add URL [--events LIST]`. */
function synopsis(command: Command, program: Program): string {
  const given = Object.entries(command.options).map(([option, { value, isRequired, isList }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`;
    return isRequired ? text : `[${text}]${isList ? '...' : ''}`;
  });
  return [program.name, command.name, ...argumentsOf(command), ...given].join(' ');
}

/** The marks of an argument that may be absent, or stand several times. */
const MARKS = /[.?]{1,4}$/;

/** `accountId` is written ACCOUNT_ID. */
export function placeholder(argument: string): string {
  return argument.replace(MARKS, '').replace(/[A-Z]/g, '_$&').toUpperCase();
}

function argumentsOf({ takes }: Command): string[] {
  return takes.map((one) => {
    const text = `${placeholder(one)}${one.includes('...') ? '...' : ''}`;
    return one.endsWith('?') ? `[${text}]` : text;
  });
}

/** The help of a command, of a group of commands, or of all. */
function helpFor(shown: readonly Command[], program: Program): string {
  const [only] = shown;
  if (only && shown.length === 1) return helpForOne(only, program);
  const rows = shown.map((command) => {
    const required = Object.entries(command.options).filter(([, { isRequired }]) => isRequired);
    const words = [command.name, ...argumentsOf(command), ...required.map(([name, { value }]) => `--${name} ${value}`)];
    return [`  ${words.join(' ')}`, command.about];
  });
  const list = `Usage: ${program.name} COMMAND [OPTIONS]\n\n${columns(rows).join('\n')}\n`;
  if (shown.length < program.commands.length)
    return `${list}\nFor help with a command, run \`${program.name} COMMAND --help\`.\n`;
  return `${list}
Options for every command:
  --json      print JSON: one document, or one object per line for endless output; errors as JSON on stderr
  --help      show help for the command
  --version   show the version (without a command)

${program.notes}
`;
}

function helpForOne(command: Command, program: Program): string {
  const options = Object.entries(command.options).map(([name, { value, about, choices }]) => [
    `  --${name}${value === undefined ? '' : ` ${value}`}`,
    choices ? `${about} (one of ${choices.join(', ')})` : about,
  ]);
  const [argument = ''] = command.takes;
  const rows = command.choices
    ? [[`  ${placeholder(argument)}`, `one of ${command.choices.join(', ')}`], ...options]
    : options;
  const parts = [
    `Usage: ${synopsis(command, program)}`,
    command.about,
    rows.length > 0 ? columns(rows).join('\n') : '',
    (command.details ?? []).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/**
 * The words that may take the place of the last one, which is being typed: commands, options, or the values of an
 * argument.
 */
function candidates(words: readonly string[], commands: readonly Command[]): string[] {
  const typed = words.at(-1) ?? '';
  return candidatesAfter(words.slice(0, -1), commands).filter((one) => one.startsWith(typed));
}

function candidatesAfter(before: readonly string[], commands: readonly Command[]): readonly string[] {
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

/** @throws UsageError unless the text is a whole number of this range */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/** The entries of a list with commas. */
export function listOf(text: string): string[];
export function listOf(text: string | undefined): string[] | undefined;
export function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').map((entry) => entry.trim());
}

/** Discards what it is given: a terminal's echo of a secret. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * The first line of the input: of a pipe, or the answer to a question at a terminal, without echo if it is a secret.
 * Empty if there is none. @throws AbortError at Ctrl-C
 */
export async function askLine(
  input: Readable & { isTTY?: boolean },
  terminal: NodeJS.WritableStream,
  question: string,
  { isSecret = false, signal }: { isSecret?: boolean | undefined; signal?: AbortSignal },
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const lines = createInterface({
    input,
    output: isTerminal && !isSecret ? terminal : nowhere(),
    terminal: isTerminal,
  });
  const ended = new Promise<string>((done) => lines.once('close', () => done('')));
  if (!isTerminal) {
    // Not `question`: it misses a last line that no line break ends.
    const first = new Promise<string>((done) => lines.once('line', done));
    signal?.addEventListener('abort', () => lines.close(), { once: true });
    const line = await Promise.race([first, ended]);
    lines.close();
    return line.trim();
  }
  const leaving = new AbortController();
  // At a terminal, readline takes Ctrl-C for itself.
  lines.once('SIGINT', () => leaving.abort(new DOMException('Ctrl-C', 'AbortError')));
  if (isSecret) terminal.write(`${question}: `);
  try {
    const left = AbortSignal.any([leaving.signal, ...(signal ? [signal] : [])]);
    return (await Promise.race([lines.question(`${question}: `, { signal: left }), ended])).trim();
  } finally {
    lines.close();
    if (isSecret) terminal.write('\n');
  }
}

/** The exit code after Ctrl-C. */
export const INTERRUPTED = 130;

/** Whether a command failed because Ctrl-C ended a question or a wait. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
