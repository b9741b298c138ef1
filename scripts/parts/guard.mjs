// guard.mjs <command> <args>: runs a command that ends, with all its children, when our parent process ends, even if
// killed.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { killTree } from './process-tree.mjs';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
child.on('error', (error) => {
  process.stderr.write(`could not run ${command}: ${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
// The command gets these signals as well, because it is in our process group; we stay until it has ended.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.on('disconnect', () => killTree(process.pid));
