import { byServerClock } from './server-clock.ts';

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const IN_PLACE_OF = (parameter: string) => `greatest(least(${parameter}::bigint, ${NOW}), ${NOW})`;

test.each([
  ['-- Claims.\n-- Params: $1 queue, $2 lock_ms,\n-- $3 now_ms, $4 name.\nSELECT claim($1, $2, $3, $4);', '$3'],
  ['-- Params: $1 queue, $2 key, $3 now (ms).\nSELECT id FROM dedup WHERE expire_at_ms > $3', '$3'],
  ['-- Params: $1 queue, $10 now_ms.\nUPDATE job SET until = $10::bigint + $1::bigint', '$10'],
])('the time of the process is replaced by that of the server: %j', (text, parameter) => {
  const [statement] = text.split('\n').slice(-1);
  const changed = byServerClock(text);
  expect(changed.split('\n').slice(0, -1)).toEqual(text.split('\n').slice(0, -1));
  expect(changed.split('\n').at(-1)).toBe(
    statement?.replace(new RegExp(`\\${parameter}(?!\\d)(::bigint)?`), () => IN_PLACE_OF(parameter)),
  );
});

test.each([
  '-- Params: $1 queue, $2 limit.\nSELECT f($1, $2)',
  '-- A job right now. Param: $1 queue.\nSELECT f($1)',
  'SELECT 1',
])('a statement without a time stays as it is: %j', (text) => expect(byServerClock(text)).toBe(text));
