import { columns } from '@pts/core/terminal';
import type { Command } from './command.ts';
import { EXIT } from './problem.ts';

/** A command and what follows it: `pts webhooks add URL [--events LIST]`. */
export function synopsis({ name, takes, options }: Command): string {
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
