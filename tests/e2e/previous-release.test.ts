import { runMainJobOn } from '../support/main-job.ts';
import { buildPreviousRelease } from '../support/previous-release.ts';

test("the previous release's processes do the main job on today's schema, as they must during a rollout", async () => {
  const root = await buildPreviousRelease();
  await runMainJobOn({ root }, 'SBXORDINARY9001');
}, 240_000);
