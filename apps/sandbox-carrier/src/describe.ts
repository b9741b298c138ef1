import { overallStatus, type ScanStatus } from '@pts/core/tracking/status';
import { STORIES, STORY_NAMES, type StoryName } from './journeys/stories.ts';
import type { Step, Story } from './journeys/story.ts';
import { textOf } from './journeys/wording.ts';

/** A story as a merchant reads it. Seconds are those of speed 1, from the first query for the number. */
export type StoryCard = {
  story: StoryName;
  example: string;
  summary: string;
  /** The overall statuses it passes through. */
  statuses: string[];
  ends_as: ScanStatus | 'pending';
  /** Null when nothing ever happens. */
  ends_after_seconds: number | null;
};

/** Every story, described from its own script, so that the list is always right. */
export function storyCards(): StoryCard[] {
  return STORY_NAMES.map((story) => toCard(story, STORIES[story]));
}

function toCard(story: StoryName, { summary, ...rest }: Story): StoryCard {
  const steps = isUsable(rest) ? rest.steps : [];
  const states = steps.filter(isOfThisParcel).map((step) => textOf(step.text).status);
  const statuses = rest.statuses ?? ['查询中', ...states.map((state) => overallStatus(state))];
  return {
    story,
    example: `SBX${story}1`,
    summary,
    statuses: statuses.filter((status, i) => status !== statuses[i - 1]),
    ends_as: rest.endsAs ?? states.at(-1) ?? 'pending',
    ends_after_seconds: steps.at(-1)?.at ?? null,
  };
}

/** Whether the service uses the answers: not if they name another number, or come after its clients have given up. */
export function isUsable({ manner }: Pick<Story, 'manner'>): boolean {
  return manner.kind !== 'about-another-number' && !(manner.kind === 'after' && !manner.spedUp);
}

function isOfThisParcel({ daysBefore }: Step): boolean {
  return daysBefore === undefined;
}

/** The front page, as plain text. */
export function frontPage(speed: number): string {
  const rows = storyCards().map(({ example, ends_as, ends_after_seconds, summary }) => {
    const end = ends_after_seconds === null ? '-' : `${ends_after_seconds} s`;
    return `  ${example.padEnd(23)}${ends_as.padEnd(15)}${end.padEnd(7)}${summary}`;
  });
  return [
    'Sandbox carrier: scripted parcel journeys over HTTP. No real parcels.',
    '',
    'Every tracking number has a journey, which starts at the first query. SBX<STORY><digits> plays the',
    `story it names, every other number the default one. Speed: ${speed} (times below are for speed 1).`,
    '',
    '  POST /track                    {"numbers":[{"number":"SBXEXPRESS1","carrier":"sandbox"}]}',
    "  POST /kuaidi100/poll/query.do  Kuaidi100's wire format",
    '  POST /kuaidi100/poll           a subscription there: whole histories are sent to its callbackurl',
    '  GET  /stories                  the list below as JSON',
    '  GET  /healthz',
    '',
    `  ${'number'.padEnd(23)}${'ends as'.padEnd(15)}${'after'.padEnd(7)}story`,
    ...rows,
    '',
  ].join('\n');
}
