import fc from 'fast-check';
import pg from 'pg';
import { parseTime } from './connection.ts';

const byNodePg: typeof parseTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text');

test('every time of PostgreSQL is parsed as node-pg parses it', () => {
  const instant = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  const micros = fc.integer({ min: 0, max: 999_999 });
  fc.assert(
    fc.property(instant, micros, fc.constantFrom('+00', '+08', '-03:30', '+00 BC'), (date, fraction, zone) => {
      const digits = String(fraction).padStart(6, '0').replace(/0+$/, '');
      const text = `${date.toISOString().slice(0, 19).replace('T', ' ')}${digits && `.${digits}`}${zone}`;
      expect(parseTime(text)).toEqual(byNodePg(text));
    }),
    { numRuns: 2000 },
  );
});

test.each(['infinity', '-infinity', '0044-03-15 12:00:00+00', '10000-01-01 00:00:00+00', '2031-02-03 04:05:06.789+00'])(
  '%s is parsed as node-pg parses it',
  (text) => {
    expect(parseTime(text)).toEqual(byNodePg(text));
  },
);
