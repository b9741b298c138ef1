// `npm run NAME -- --help`: what a script says about itself.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether the command line asks for help. */
export function asksForHelp() {
  return process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h');
}

/**
 * If the command line asks for help, prints the comment at the top of a script, and ends.
 * @param {string} url of the script's module
 */
export function answerHelp(url) {
  if (!asksForHelp()) return;
  const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  const comment = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('//')),
  );
  process.stdout.write(`${comment.map((line) => line.replace(/^\/\/ ?/, '')).join('\n')}\n`);
  process.exit(0);
}
