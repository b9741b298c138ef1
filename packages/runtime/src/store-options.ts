import type { Logger } from './logger.ts';

const TEXTS = {
  queue: { trouble: 'queue trouble', notice: 'queue' },
  signals: { trouble: 'signal trouble', notice: 'signals' },
};

/** The settings of a process as `openQueue` and `openSignals` take them; errors and notices of the store are logged. */
export function storeOptions<C extends { queuePrefix: string }>(
  config: C,
  logger: Pick<Logger, 'info' | 'warn'>,
  part: keyof typeof TEXTS,
) {
  const { trouble, notice } = TEXTS[part];
  return {
    ...config,
    prefix: config.queuePrefix,
    onError: (err: Error) => logger.warn({ err: err.message }, trouble),
    onNotice: (text: string) => logger.info(`${notice}: ${text}`),
  };
}
