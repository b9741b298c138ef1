import { createSandboxApp } from './app.ts';
import { readConfig } from './config.ts';
import { rememberInFile, rememberInMemory } from './first-asked.ts';
import { createLog } from './log.ts';
import { listen, stop, urlOf } from './server.ts';

const now = () => new Date();
const log = createLog((line) => void process.stdout.write(line), now, process.env.LOG_LEVEL === 'debug');

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const state = config.stateFile ? rememberInFile(config.stateFile) : rememberInMemory();
  const app = createSandboxApp({ ...config, now, state, log });
  const server = await listen(app, config.host, config.port);
  log('info', 'started', { url: urlOf(server), speed: config.speed, stateFile: config.stateFile });

  let isStopping = false;
  const onSignal = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    await stop(server);
    state.close();
    log('info', 'stopped', { signal });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

main().catch((error: unknown) => {
  log('error', error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
