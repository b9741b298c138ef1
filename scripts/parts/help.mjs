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
  process.stdout.write(commentOf(url));
  process.exit(0);
}

/**
 * If the command line asks for help, does as `answerHelp`. If it has an option that the script does not know, says so
 * and ends: a misspelt one must not be ignored, nor taken for the name of a folder.
 * @param {string} url of the script's module
 * @param {string[]} known its options
 */
export function refuseUnknownOptions(url, known = []) {
  answerHelp(url);
  const unknown = process.argv.slice(2).find((arg) => arg.startsWith('-') && !known.includes(arg));
  if (unknown === undefined) return;
  process.stderr.write(`No such option: ${unknown}.\n\n${commentOf(url)}`);
  process.exit(2);
}

function commentOf(url) {
  const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  const comment = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('//')),
  );
  return `${comment.map((line) => line.replace(/^\/\/ ?/, '')).join('\n')}\n`;
}
