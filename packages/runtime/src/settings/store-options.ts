import type { Logger } from '../logger.ts';

const TEXTS = {
  queue: { outage: 'queue outage', notice: 'queue' },
  signals: { outage: 'signal outage', notice: 'signals' },
};

/** The settings of a process as `openQueue` and `openSignals` take them; errors and notices of the store are logged. */
export function storeOptions<C extends { queuePrefix: string }>(
  config: C,
  logger: Pick<Logger, 'info' | 'warn'>,
  part: keyof typeof TEXTS,
) {
  const { outage, notice } = TEXTS[part];
  return {
    ...config,
    prefix: config.queuePrefix,
    onError: (err: Error) => logger.warn({ err: err.message }, outage),
    onNotice: (text: string) => logger.info(`${notice}: ${text}`),
  };
}
