import { createLogger } from '../logger.ts';
import { storeOptions } from './config.ts';

test.each([
  ['queue', 'queue outage', 'queue: the store answers again'],
  ['signals', 'signal outage', 'signals: the store answers again'],
] as const)('errors and notices of the %s are logged, and the settings are kept', (part, outage, notice) => {
  const lines: object[] = [];
  const logger = createLogger({
    app: 'a',
    level: 'info',
    format: 'json',
    write: (line) => lines.push(JSON.parse(line)),
  });
  const options = storeOptions({ queuePrefix: '{a}', databaseUrl: 'postgres://x' }, logger, part);
  options.onError(new Error('refused'));
  options.onNotice('the store answers again');
  expect(options).toMatchObject({ prefix: '{a}', databaseUrl: 'postgres://x' });
  expect(lines).toMatchObject([
    { level: 'warn', err: 'refused', msg: outage },
    { level: 'info', msg: notice },
  ]);
});
