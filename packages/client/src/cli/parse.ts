import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { synopsis } from './help.ts';
import { EXIT, Problem } from './problem.ts';

/** An id of the delivery log. One of 64 begins with a dash. */
const DASHED_ID = /^-[\w-]{26}$/;
/** `-created_at` */
const DASHED_VALUE = /^-[^-]./;

type Given = Record<string, string | boolean | string[] | undefined>;

/** What a command line asks for. */
export type Parsed =
  | { kind: 'help'; commands: readonly Command[] }
  | { kind: 'version' }
  | { kind: 'run'; command: Command; input: Given };

/**
 * Node's own `parseArgs` does the splitting. A library such as commander would bring help, but no completion, and the table of
 * commands is enough for both. @throws Problem with the exit code 2
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
export function commandOf(words: readonly string[], commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
}

function named(words: readonly string[], commands: readonly Command[]): Command[] {
  const requested = words.join(' ');
  const found = commands.filter(({ name }) => name === requested || name.startsWith(`${requested} `));
  if (found.length === 0) throw unknownCommand(words, commands);
  return found;
}

function unknownCommand(words: readonly string[], known: readonly Command[]): Problem {
  const names = known.map(({ name }) => name).join(', ');
  return usageProblem(`There is no command "${words.join(' ')}". Commands: ${names}.`);
}

function parseInput(command: Command, args: string[]): Parsed {
  // Every user of the machine can read a command line, and the history of the shell keeps it.
  if (args.some((arg) => /^(?:--[\w-]+=)?(?:tk_|whsec_)\w/.test(arg)))
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

export function usageProblem(text: string): Problem {
  return new Problem(`${text}\n\`pts help\` lists the commands, and \`pts COMMAND --help\` explains one.`, EXIT.usage);
}
