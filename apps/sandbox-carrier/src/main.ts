import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLogger } from '@pts/runtime/logger';
import { boot, onShutdown } from '@pts/runtime/process/boot';
import { createSandboxApp } from './app.ts';
import { readConfig } from './config.ts';
import { rememberInFile, rememberInMemory } from './first-requests.ts';
import { type Log, listen, startCallbacks, stop, urlOf } from './http.ts';
import { createSubscriptions } from './kuaidi100.ts';
import { WIRES } from './wires/play.ts';
import { createRegistrations } from './wires/wire.ts';

const STOP_WITHIN_SECONDS = 5;

await boot('sandbox-carrier', process.env, async () => {
  const config = readConfig(process.env);
  const { logLevel: level, logFormat: format } = config;
  const logger = createLogger({ app: 'sandbox-carrier', level, format });
  const log: Log = (entry, msg, fields = {}) => logger[entry](fields, msg);
  const state = config.stateFile ? rememberInFile(config.stateFile) : rememberInMemory();
  const now = () => new Date();
  const subscriptions = createSubscriptions({ ...config, now, state });
  const registrations = createRegistrations({ ...config, now, state }, WIRES);
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  const stalledMs = () => Math.round(stalls.max / 1e6);
  const app = createSandboxApp({ ...config, now, state, subscriptions, registrations, log, stalledMs });
  const server = await listen(app, config.host, config.port);
  logger.info({ url: urlOf(server), speed: config.speed, stateFile: config.stateFile }, 'ready');
  const stopCallbacks = startCallbacks([subscriptions, registrations], log);
  onShutdown(logger, STOP_WITHIN_SECONDS, async () => {
    stopCallbacks();
    await stop(server);
    state.close();
  });
});
