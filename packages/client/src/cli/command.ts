import { parseInstant } from '@pts/core/time';
import type { Client } from '../client.ts';
import { commandsOf, UsageError } from './kit.ts';
import type { Settings } from './settings.ts';

/** The means that a command works with. */
export type Context = {
  /** @throws CommandError if there is no address or no key */
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

/** Declares a command of `pts`. It returns its exit code; nothing for success. */
// biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
export const command = commandsOf<Context, number | void>();

/** @throws UsageError unless the text is a time as the service reads it */
export function instant(name: string, text: string): string {
  if (parseInstant(text) !== null) return text;
  throw new UsageError(
    `${name} must be a time with a time zone (RFC 3339), such as 2026-03-01T16:00:00Z, not "${text}".`,
  );
}
