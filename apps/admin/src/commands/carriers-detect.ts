import { detect } from '@pts/carriers/detection/detect';
import { normaliseNumber } from '@pts/core/tracking/number';
import { command } from '../command.ts';
import { columns } from '../text.ts';

export const carriersDetect = command({
  name: 'carriers detect',
  takes: [],
  more: 'number',
  options: {},
  about: 'List the possible carriers of tracking numbers, best first. Needs no database.',
  async run(_context, { more: numbers }) {
    const found = numbers.map((given) => {
      const number = normaliseNumber(given);
      const candidates = number === null ? [] : detect(number, { sandbox: false });
      return {
        number: number ?? given,
        candidates: candidates.map(({ carrier, confidence }) => ({ courier_code: carrier, confidence })),
      };
    });
    const rows = found.flatMap(({ number, candidates }) =>
      candidates.length === 0
        ? [[number, 'unknown', '']]
        : candidates.map(({ courier_code, confidence }, i) => [
            i === 0 ? number : '',
            courier_code,
            String(confidence),
          ]),
    );
    return { lines: columns([['NUMBER', 'CARRIER', 'CONFIDENCE'], ...rows]), json: found };
  },
});
