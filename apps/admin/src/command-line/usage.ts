import { columns } from '@pts/core/terminal';
import type { Command } from './command.ts';

/** `accountId` is written ACCOUNT_ID. */
function placeholder(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

/** The arguments of a command: `ACCOUNT_ID`, `NUMBER...`. */
export function argumentsOf({ takes, more }: Command): string {
  return [...takes.map(placeholder), ...(more === undefined ? [] : [`${placeholder(more)}...`])].join(' ');
}

/** A command and what follows it: `accounts create --name NAME [--plan PLAN]`. */
export function synopsis(command: Command): string {
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
