import { UsageError } from './problem.ts';

/** Reads a name. It is shown on terminals: no control characters. @throws UsageError */
export function readName(text: string, maxLength: number): string {
  const name = text.trim();
  if (name === '' || name.length > maxLength || /\p{Cc}/u.test(name))
    throw new UsageError(`The name must have 1 to ${maxLength} characters and no control characters.`);
  return name;
}
