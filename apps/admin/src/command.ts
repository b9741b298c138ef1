import { type ParseArgsConfig, parseArgs } from 'node:util';
import { columns } from '@pts/core/terminal';
import { messageOf } from '@pts/db/errors';

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
  /** A failure after the result, for stderr: exit code 1. */
  fault?: string;
  /** The accounts that it was about, for the audit log; default: the one that the command line names. */
  accountIds?: readonly string[];
};

/** `value` names the value of the option; without it, the option is a flag. */
type Option = { about: string; value?: string; required?: true };

/** One command as data; parsing, usage and errors derive from it. */
export type Command = {
  name: string;
  /** The positional arguments, in order; all are required. */
  takes: readonly string[];
  /** The name of a repeatable last argument. */
  more?: string;
  /** Whether the repeatable argument may be left out. */
  isMoreOptional?: true;
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

export type Spec<T extends readonly string[], O> = Pick<Command, 'name' | 'about' | 'secrets' | 'isMoreOptional'> & {
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

/** A problem that the operator can fix: printed without a stack. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** The command line is invalid. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

export type Parsed =
  | { kind: 'help'; commands: readonly Command[] }
  | { kind: 'run'; command: Command; input: Record<string, string | boolean | readonly string[] | undefined> };

const HELP = ['help', '--help', '-h'];

/** Parses a command line. @throws UsageError */
export function parse(argv: readonly string[], commands: readonly Command[]): Parsed {
  const [first = '', ...rest] = argv;
  if (HELP.includes(first)) return { kind: 'help', commands: rest.length === 0 ? commands : matching(rest, commands) };
  const command = commands.find(({ name }) => name.split(' ').every((word, i) => argv[i] === word));
  if (command) return parseInput(command, argv.slice(command.name.split(' ').length));
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && rest.some((arg) => HELP.includes(arg))) return { kind: 'help', commands: group };
  throw new UsageError(unknownCommand(argv, group));
}

function matching(words: readonly string[], commands: readonly Command[]): Command[] {
  const requested = words.join(' ');
  const found = commands.filter(({ name }) => name === requested || name.startsWith(`${requested} `));
  if (found.length === 0) throw new UsageError(unknownCommand(words, []));
  return found;
}

function unknownCommand(argv: readonly string[], group: readonly Command[]): string {
  if (argv.length === 0) return 'No command given.';
  if (argv[0]?.startsWith('-')) return `Options come after the command: move ${argv[0]} behind it.`;
  const words = argv.slice(0, group.length > 0 ? 2 : 1).join(' ');
  const known = group.length > 0 ? `. Choose one of ${group.map(({ name }) => name).join(', ')}` : '';
  return `No such command: "${words}"${known}.`;
}

const SECRET = /^(?:whsec_|(?:otk|tk)_(?:test_|session_)?[0-9a-f]{48}$)/;

/** Every user of the machine can read a command line (`ps`), and the shell history keeps it. */
function refuseSecrets({ name, takes, secrets = {} }: Command, args: readonly string[]): void {
  const options = Object.keys(secrets);
  const option = options.find((known) => args.some((arg) => arg === `--${known}` || arg.startsWith(`--${known}=`)));
  const hasOne = args.some((arg) => SECRET.test(arg.replace(/^--[\w-]+=/, '')));
  const hasMore = takes.length > 0 && args.filter((arg) => !arg.startsWith('-')).length > takes.length;
  if (option === undefined && !hasOne && !(options.length > 0 && hasMore)) return;
  const variables = option ? [secrets[option]] : [...new Set(Object.values(secrets))];
  const instead = variables.length > 0 ? ` Set ${variables.join(' or ')} in the environment instead.` : '';
  throw new UsageError(
    `${name} does not accept keys or secrets as arguments: they would be visible in ps and in the shell history.${instead}`,
  );
}

function parseInput(command: Command, args: string[]): Parsed {
  refuseSecrets(command, args);
  const { values, positionals } = split(command, args);
  if (values.help) return { kind: 'help', commands: [command] };
  const { takes } = command;
  const isMore = positionals.length > takes.length;
  const isComplete = isMore || command.more === undefined || command.isMoreOptional === true;
  if (positionals.length < takes.length || !isComplete || (isMore && command.more === undefined)) {
    const wanted = argumentsOf(command) || 'no arguments';
    throw new UsageError(`${command.name} takes ${wanted}: ${synopsis(command)}`);
  }
  const missing = Object.entries(command.options).find(([name, { required }]) => required && !values[name]);
  if (missing) throw new UsageError(`${command.name} needs --${missing[0]}: ${synopsis(command)}`);
  const flags = Object.keys(command.options).filter((name) => command.options[name]?.value === undefined);
  const input = {
    ...Object.fromEntries(flags.map((name) => [name, false])),
    ...values,
    ...Object.fromEntries(takes.map((name, i) => [name, positionals[i]])),
    more: positionals.slice(takes.length),
  };
  return { kind: 'run', command, input };
}

/** Every command also takes --json and --help. */
function split(command: Command, args: string[]) {
  const own = Object.entries(command.options).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const options: ParseArgsConfig['options'] = {
    ...Object.fromEntries(own),
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as Record<string, string | boolean | undefined>, positionals };
  } catch (error) {
    // The first sentence of Node's message is for the user; the rest suggests another option.
    const [text = ''] = messageOf(error).split('. ');
    throw new UsageError(`${text.replace(/\.$/, '')}. Usage: ${synopsis(command)}`);
  }
}

/** `accountId` is written ACCOUNT_ID. */
function placeholder(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

/** The arguments of a command: `ACCOUNT_ID`, `NUMBER...`. */
function argumentsOf({ takes, more, isMoreOptional }: Command): string {
  const repeated = more === undefined ? [] : [isMoreOptional ? `[${placeholder(more)}...]` : `${placeholder(more)}...`];
  return [...takes.map(placeholder), ...repeated].join(' ');
}

/** A command and what follows it: `accounts create --name NAME [--plan PLAN]`. */
function synopsis(command: Command): string {
  const { name, options } = command;
  const given = Object.entries(options).map(([option, { value, required }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`;
    return required ? text : `[${text}]`;
  });
  return [name, argumentsOf(command), ...given].filter((part) => part !== '').join(' ');
}

/** The help text of some commands, or of all. */
export function usage(commands: readonly Command[]): string {
  const [only] = commands;
  if (only && commands.length === 1) return `npm run admin -- ${synopsis(only)}\n\n${only.about}\n${optionsOf(only)}`;
  const listed = commands.map((command) => [`  ${synopsisInShort(command)}`, command.about]);
  return `npm run admin -- COMMAND

${columns(listed).join('\n')}

With every command:
  --json   one JSON document on stdout; errors as {"error":{"message"}} on stderr
           (npm also prints a heading on stdout; use npm run --silent admin -- …)
  --help   show the options of the command

The database is DATABASE_URL or, if it is not set, the database of the service that npm start runs, with its settings.
Exit codes: 0 success, 1 failure, 2 invalid command line.
`;
}

/** The options of a command are shown in its own help. */
function synopsisInShort(command: Command): string {
  const options = Object.entries(command.options);
  const required = Object.fromEntries(options.filter(([, { required }]) => required));
  const text = synopsis({ ...command, options: required });
  return options.length > Object.keys(required).length ? `${text} [OPTIONS]` : text;
}

function optionsOf({ options }: Command): string {
  const rows = Object.entries(options).map(([name, { value, about }]) => [
    `  --${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
  return rows.length === 0 ? '' : `\n${columns(rows).join('\n')}\n`;
}
