import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Image, makeImage } from '../support/image.ts';
import { runMainJobOn } from '../support/main-job.ts';
import { nodeProgram, otherVersion } from '../support/other-node.ts';

const version = otherVersion();

let image: Image;
beforeAll(async () => {
  image = makeImage(await nodeProgram(version));
}, 240_000);
afterAll(() => image.remove());

test(`the services do the main job on Node ${version}, as in their images: as a user who may write nothing`, async () => {
  expect(execFileSync(image.node, ['--version'], { encoding: 'utf8' }).trim()).toBe(`v${version}`);
  const writing = `require('fs').writeFileSync(${JSON.stringify(join(image.root, 'apps/api/dist/written'))}, '')`;
  expect(spawnSync(image.node, ['-e', writing], { ...image.user, encoding: 'utf8' }).stderr).toContain('EACCES');
  await runMainJobOn(image, 'SBXORDINARY9002');
}, 240_000);
