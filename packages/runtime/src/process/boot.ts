import { writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { format } from 'node:util';
import { type Check, type Checks, firstFault, waitingFor } from '@pts/core/process/readiness-check';
import { type Environment, textIn } from '@pts/core/settings';
import { keepInspectorClosed, onDiagnosis } from '../diagnosis.ts';
import { createLogger, type Logger } from '../logger.ts';
import {
  certificateExpiry,
  clockSkewSeconds,
  type Gauge,
  type Registry,
  schemaInfo,
  unmetRequirements,
  VERSION,
} from '../metrics.ts';
import { type Config, ConfigError, masked } from '../settings/config.ts';
import type { CommonSettingName, SettingName } from '../settings/settings.ts';
import { type Tracer, useTracer } from '../tracing/tracing.ts';
import { type SharedClock, startClockLoop } from './clock.ts';
import type { DatabaseFaults } from './database-faults.ts';
import type { Loop } from './loop.ts';
import { type Readiness, startManagement } from './management.ts';

/**
 * Runs the start of a process. What keeps it from starting is logged to standard error, each fault of the configuration
 * as a line of its own, and the process ends with code 1.
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

/** The lifecycle of a process. */
export type Work = {
  /** Kept in sync while the process runs. It starts, and is ready, only while the machine's clock is right. */
  clock: SharedClock;
  /** Gets the errors of reading the clock, and learns of its answers. */
  databaseFaults?: DatabaseFaults;
  /** Whether it is still alive. */
  isLive(): boolean;
  /** Details that `/readyz` shows besides the checks: trouble that does not keep the process from working. */
  details?(): Readonly<Record<string, unknown>>;
  /**
   * Called once all checks pass, before `begin`; again if it throws.
   * @returns why the process must not start; null if it can.
   */
  refusal?(): Promise<string | null>;
  /** Starts the work, once all checks pass. */
  begin(): void;
  /** Ends work in progress and closes everything, even if the work has not started. */
  stop(): Promise<void>;
  /** Fields for the log line of the start. */
  about: Record<string, unknown>;
};

/** A requirement of a process. */
type Needs = {
  /** Never throws. */
  check(): Promise<Checks>;
  /** The newest migration of the database at the last check that could read it; null before that. */
  schemaVersion(): string | null;
  /** When the first certificate of its connection expires; null without TLS, and before the first connection. */
  certificateExpiresAt(): Date | null;
  close(): Promise<void>;
};

type Process<K extends SettingName> = {
  /** Its name on the operator's page. */
  app: string;
  config: Config<K | CommonSettingName>;
  /** Variables that are not settings, but resemble one, in sentences. */
  misspelled: readonly string[];
  logger: Logger;
  registry: Registry;
  needs: Needs;
  /** Creates the dependencies of the process; it must not start work yet. */
  open(): Promise<Work>;
};

const PAUSE_MS = { first: 250, max: 2000 };

/**
 * Runs a process: opens the management port, waits for its requirements, then works until it is stopped.
 * @throws ConfigError if `refusal` returns a reason.
 */
export async function runProcess<K extends SettingName>(options: Process<K>): Promise<void> {
  const { app, config, misspelled, logger, registry, needs, open } = options;
  const stopping = new AbortController();
  const skew = clockSkewSeconds(registry);
  schemaInfo(registry, needs.schemaVersion);
  certificateExpiry(registry, needs.certificateExpiresAt);
  for (const text of misspelled) logger.warn(text);
  let work: Work | undefined;
  let clockLoop: Loop | undefined;
  // Libraries warn there, such as ioredis of a user that may not use INFO.
  console.warn = (...parts: unknown[]) => logger.warn(format(...parts));
  onDiagnosis(logger, { app, directory: tmpdir() });
  const tracing = await openTracing(app, config, logger);
  const ready = async (): Promise<Readiness> => {
    if (stopping.signal.aborted) return { isReady: false, checks: { process: { state: 'stopping' } } };
    const met = await needs.check();
    const fault = firstFault(met);
    const clock = work && { clock: work.clock.check() };
    // Requests get a 503 from a process that waits for its database. Without one, a proxy would have nobody to ask. A
    // process that has never worked and finds fault with what answers is another matter: those that it replaces may do
    // better.
    const isReady = clockLoop
      ? clock?.clock.state === 'ok'
      : clock !== undefined && fault?.check.state === 'unreachable';
    if (fault) return { isReady, checks: met };
    return { isReady, checks: { ...met, ...clock, ...(!clockLoop && { process: { state: 'starting' } }) } };
  };
  unmetRequirements(registry, async () => (await ready()).checks);
  const address = { port: config.managementPort, host: config.managementHost };
  const management = await startManagement(
    address,
    { live: () => work?.isLive() ?? true, ready, details: () => work?.details?.() },
    registry,
    { isOn: config.operatorPage, app },
  );
  onShutdown(logger, config.shutdownTimeoutSeconds, async () => {
    stopping.abort();
    await Promise.all([work?.stop(), clockLoop?.stop()]);
    await Promise.all([needs.close(), management?.close(), tracing?.close()]);
  });
  const opened = await open();
  work = opened;
  await untilFit(() => faultOf(needs, opened, skew), logger, stopping.signal);
  if (stopping.signal.aborted) return;
  opened.begin();
  clockLoop = startClockLoop(opened.clock, logger, skew, opened.databaseFaults);
  logger.info({ ...opened.about, config: masked(config) }, 'ready');
}

/**
 * Turns tracing on if an endpoint is set: only then are OpenTelemetry's packages loaded.
 * @returns what ends it; null if it is off.
 */
async function openTracing(
  app: string,
  { otlpEndpoint: endpoint, traceRatio: ratio }: Config<'otlpEndpoint' | 'traceRatio'>,
  logger: Logger,
): Promise<Tracer | null> {
  if (endpoint === undefined) return null;
  const { createOtelTracer } = await import('../tracing/otel.ts');
  const onLost = (err: unknown) => logger.warn({ err }, 'traces could not be exported');
  const tracer = createOtelTracer({ app, version: VERSION, endpoint, ratio, onLost });
  useTracer(tracer);
  return tracer;
}

/** Waits for the requirements and logs each reason once, whatever its numbers. Ends early when the process stops. */
async function untilFit(look: () => Promise<Fault | null>, logger: Logger, stopping: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const reported = new Set<string>();
  for (let pauseMs = PAUSE_MS.first; !stopping.aborted; pauseMs = Math.min(PAUSE_MS.max, 2 * pauseMs)) {
    const fault = await look();
    // What fails then has been closed.
    if (stopping.aborted) return;
    if (fault === null) {
      const waitedSeconds = Math.round((performance.now() - startedAt) / 100) / 10;
      if (reported.size > 0) logger.info({ waitedSeconds }, 'dependencies are available');
      return;
    }
    const waiting = waitingFor(fault.check);
    const reason = waiting.replaceAll(/\d+/g, '');
    if (!reported.has(reason)) logger.warn({ check: fault.name }, waiting);
    reported.add(reason);
    await delay(pauseMs, undefined, { signal: stopping }).catch(() => {});
  }
}

type Fault = { name: string; check: Check };

/** @throws ConfigError if the process must not start. */
async function faultOf(needs: Needs, work: Work, skew: Gauge): Promise<Fault | null> {
  const fault = firstFault(await needs.check());
  if (fault) return fault;
  let refusal: string | null = null;
  try {
    await work.clock.sync();
    skew.set(work.clock.skewSeconds());
    if (work.refusal) refusal = await work.refusal();
  } catch (error) {
    // Most likely the database became unreachable; the next round checks it again.
    const reason = error instanceof Error ? error.message : String(error);
    return { name: 'boot', check: { state: 'unfit', reason } };
  }
  if (refusal !== null) throw new ConfigError(refusal);
  return firstFault({ clock: work.clock.check() });
}

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
