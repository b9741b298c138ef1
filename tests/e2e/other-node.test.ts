import { execFileSync } from 'node:child_process';
import { runMainJobOn } from '../support/main-job.ts';
import { nodeProgram, otherVersion } from '../support/other-node.ts';

const version = otherVersion();

test(`the services do the main job on Node ${version}, too`, async () => {
  const node = await nodeProgram(version);
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()).toBe(`v${version}`);
  await runMainJobOn({ node }, 'SBXORDINARY9002');
}, 240_000);
