import { isAhead } from '@pts/core/estimates/journey';
import { subStatusAfter } from '@pts/core/tracking/derive';
import { fold } from '@pts/core/tracking/fold';
import { overallStatus } from '@pts/core/tracking/status';
import { ANSWER_OPTIONS, errorOf, read, readTime, viewScan } from '../../carriers/answers.ts';
import { command } from '../../command-line/command.ts';

export const carriersParse = command({
  name: 'carriers parse',
  takes: [],
  options: ANSWER_OPTIONS,
  about:
    'Parse a raw provider answer from stdin and print the normalized JSON. Fails if it cannot be read. Needs no database.',
  async run(context, { provider, number: requested, now: at }) {
    const now = readTime('now', at, context.now());
    const { number, answer } = read(provider, await context.input(), requested);
    const scans = answer.kind === 'found' ? fold([], answer.scans).scans : [];
    const subStatus = subStatusAfter(
      scans.filter((scan) => !isAhead(scan, now)),
      answer.kind === 'found' ? answer : {},
    );
    const error = errorOf(answer);
    const json = {
      number,
      found: answer.kind === 'found',
      sub_status: subStatus,
      status: overallStatus(subStatus),
      events: scans.map(viewScan),
      ...(error === null ? {} : { error }),
    };
    return { lines: [JSON.stringify(json, null, 2)], json, failed: error?.code === 'unreadable' };
  },
});
