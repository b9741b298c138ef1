import { readFileSync } from 'node:fs';
import { deriveSubStatus, problemOf } from '@pts/core/tracking/derive';
import { fold } from '@pts/core/tracking/fold';
import { codedAnswerIn } from '../testing/wire-formats.ts';
import { PROVIDERS } from './index.ts';

type Checkpoint = { status: string; problem: string; code: string; text: string };
type Life = { title: string; provider: string; checkpoints: readonly Checkpoint[] };

/** The two parts of the file: what the rules were corrected with, and what was kept apart. */
const [CORRECTED_WITH = [], KEPT_APART = []] = readFileSync(new URL('../testing/lives.txt', import.meta.url), 'utf8')
  .split(/^== .*$/m)
  .slice(1)
  .map((part) => part.split(/^\[/m).slice(1).map(lifeIn));

function lifeIn(group: string): Life {
  const [heading = '', ...lines] = group.trim().split('\n');
  const title = heading.replace(/\]$/, '');
  return { title, provider: title.split(':')[0] ?? '', checkpoints: lines.map(checkpointIn) };
}

function checkpointIn(line: string): Checkpoint {
  const {
    status = '',
    problem = '',
    code = '',
    text = '',
  } = /^(?<status>\w+)(?:\/(?<problem>\w+))?(?: \[(?<code>[^\]]*)\])?: (?<text>.*)$/.exec(line)?.groups ?? {};
  return { status, problem, code, text };
}

/** The checkpoints after which the parcel was not in the state that the life says. */
function misread({ provider, checkpoints }: Life): string[] {
  return checkpoints.flatMap(({ status, problem, text }, i) => {
    const read = stateAfter(provider, checkpoints.slice(0, i + 1));
    // Trouble may be of a kind that the life leaves open.
    const isRead = read.status === status && (read.problem === problem || (status === 'exception' && problem === ''));
    return isRead ? [] : [`${text}: ${read.status}/${read.problem} instead of ${status}/${problem}`];
  });
}

function stateAfter(name: string, checkpoints: readonly Checkpoint[]) {
  const provider = PROVIDERS.find((each) => each.name === name);
  const [answer] = provider?.parse(codedAnswerIn(name, 'A1', checkpoints), [{ number: 'A1', carrier: 'ups' }]) ?? [];
  if (answer?.kind !== 'found') throw new Error(`${name}: ${JSON.stringify(answer)}`);
  const { scans } = fold([], answer.scans);
  const state = deriveSubStatus(scans, answer.pieces);
  return { status: state === 'undeliverable' ? 'exception' : state, problem: problemOf(scans, state) ?? '' };
}

test.each(CORRECTED_WITH)('$title: the parcel has the right state after each checkpoint', (life) => {
  expect(misread(life)).toEqual([]);
});

test('at least 85 % of the checkpoints of the lives that were kept apart are read', () => {
  const checkpoints = KEPT_APART.flatMap((life) => life.checkpoints);
  expect(KEPT_APART).toHaveLength(26);
  expect(KEPT_APART.flatMap(misread).length).toBeLessThanOrEqual(0.15 * checkpoints.length);
});
