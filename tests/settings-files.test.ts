import { PROVIDERS } from '@pts/carriers/providers/index';
import { COMMAND, PARTS, withPart } from '../scripts/parts/settings-files.ts';
import { read } from './deployment/repository.ts';

test.each(PARTS.map((part) => [part.path, part] as const))(`%s matches the output of ${COMMAND}`, (path, part) => {
  expect(read(path)).toBe(withPart(read(path), part, PROVIDERS));
});
