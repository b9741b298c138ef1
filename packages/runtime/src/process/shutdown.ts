import { writeSync } from 'node:fs';
import { type Environment, textIn } from '@pts/core/settings';
import { keepInspectorClosed } from '../diagnosis/signals.ts';
import { createLogger, type Logger } from '../logger.ts';
import { ConfigError } from '../settings/config.ts';

/** The part of the shutdown timeout that is reserved for storing results and closing the stores. */
const CLOSING_MS = 5000;

/** How long calls and requests in flight may take once the process stops, in milliseconds. */
export function graceMs({ shutdownTimeoutSeconds }: { shutdownTimeoutSeconds: number }): number {
  return Math.max(0, shutdownTimeoutSeconds * 1000 - CLOSING_MS);
}

/**
 * Stops the process gracefully, once, on SIGTERM or SIGINT, or when the parent that started it with an
 * IPC channel is closed. Work in progress gets `timeoutSeconds`; after that the process ends anyway.
 */
export function onShutdown(logger: Logger, timeoutSeconds: number, close: () => Promise<void>): void {
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    setTimeout(() => {
      logger.error({ timeoutSeconds }, 'work in progress did not end in time');
      process.exit(1);
    }, timeoutSeconds * 1000).unref();
    await close().catch((err: unknown) => logger.error({ err }, 'stopping failed'));
    logger.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('disconnect', () => void stop('parent ended'));
}

/**
 * Runs the start of a process. What keeps it from starting is logged to standard error, each fault of the configuration as
 * a line of its own, and the process ends with code 1.
 */
export async function boot(app: string, env: Environment, start: () => Promise<void>): Promise<void> {
  keepInspectorClosed();
  try {
    await start();
  } catch (error) {
    const format = textIn(env, 'LOG_FORMAT') === 'pretty' ? 'pretty' : 'json';
    const write = (line: string) => writeSync(process.stderr.fd, line);
    const logger = createLogger({ app, level: 'fatal', format, write });
    if (error instanceof ConfigError) for (const fault of error.faults) logger.fatal(fault);
    else if (error instanceof Error && 'code' in error) logger.fatal(error.message);
    else logger.fatal({ err: error }, 'the process cannot start');
    process.exit(1);
  }
}
