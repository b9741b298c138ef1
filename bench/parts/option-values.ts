/** A fault of the command line, for the user: shown without a stack. */
export class OptionFault extends Error {
  override readonly name: string = 'OptionFault';
}

/** The user asked for help: the message is the usage. */
export class HelpRequested extends OptionFault {
  override readonly name = 'HelpAsked';
}

/** Prints a fault of the command line, or the help that was asked for. @returns the exit code */
export function explainOptions(fault: OptionFault): number {
  const isHelp = fault instanceof HelpRequested;
  (isHelp ? process.stdout : process.stderr).write(`${fault.message}\n`);
  return isHelp ? 0 : 1;
}

/** The whole number of an option. @throws OptionFault that names the option and its valid values */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new OptionFault(`--${option} must be a whole number from ${min} to ${max}, not "${text}"`);
}

/** The number of an option, 0 or from `least` to `most`. @throws OptionFault */
export function numberOrZero(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && (value === 0 || (value >= min && value <= max))) return value;
  throw new OptionFault(`--${option} must be 0 or a number from ${min} to ${max}, not "${text}"`);
}

/**
 * What `read` returns; the faults that Node finds in a command line are the user's, too. @throws OptionFault, and HelpAsked for
 * `--help`.
 */
export function readingOptions<T>(args: readonly string[], read: () => T, usage: string): T {
  if (args.includes('--help') || args.includes('-h')) throw new HelpRequested(usage);
  try {
    return read();
  } catch (error) {
    if (!isParseFault(error)) throw error;
    throw new OptionFault(`${error.message}\n\n${usage}`);
  }
}

function isParseFault(error: unknown): error is { message: string } {
  return (
    typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}
