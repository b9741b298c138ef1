import type { Command } from './command.ts';
import { commandOf } from './parse.ts';

/** The first argument with which the shells' completions ask for candidates. */
export const COMPLETE = '__complete';

/**
 * What may take the place of the last word: commands, options, or the values of an argument.
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
