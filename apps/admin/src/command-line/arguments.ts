import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '@pts/db/errors';
import type { Command } from './command.ts';
import { UsageError } from './problem.ts';
import { argumentsOf, synopsis } from './usage.ts';

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

const SECRET = /^(?:whsec_|tk_(?:test_)?[0-9a-f]{48}$)/;

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
  if (positionals.length < takes.length || isMore !== (command.more !== undefined)) {
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
