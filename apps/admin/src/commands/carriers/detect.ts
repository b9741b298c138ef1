import { detect } from '@pts/carriers/detection/detect';
import { columns } from '@pts/core/terminal';
import { normaliseNumber } from '@pts/core/tracking/number';
import { command } from '../../command-line/command.ts';

const INVALID = 'a tracking number has 5 to 50 letters and digits';

export const carriersDetect = command({
  name: 'carriers detect',
  takes: [],
  more: 'number',
  options: {},
  about: 'List the possible carriers of tracking numbers, best first. Fails if a number is invalid. Needs no database.',
  async run(_context, { more: numbers }) {
    const found = numbers.map((given) => {
      const number = normaliseNumber(given);
      if (number === null) return { number: given, candidates: [], error: INVALID };
      const candidates = detect(number, { sandbox: false });
      return {
        number,
        candidates: candidates.map(({ carrier, confidence }) => ({ courier_code: carrier, confidence })),
      };
    });
    const rows = found.flatMap(({ number, candidates, error }) => {
      if (error !== undefined) return [[number, `invalid: ${error}`, '']];
      return candidates.length === 0
        ? [[number, 'unknown', '']]
        : candidates.map(({ courier_code, confidence }, i) => [
            i === 0 ? number : '',
            courier_code,
            String(confidence),
          ]);
    });
    const failed = found.some(({ error }) => error !== undefined);
    return { lines: columns([['NUMBER', 'CARRIER', 'CONFIDENCE'], ...rows]), json: found, failed };
  },
});
