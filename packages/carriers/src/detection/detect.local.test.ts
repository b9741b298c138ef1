import fc from 'fast-check';
import { CHINESE } from './chinese.ts';
import { formatsFor } from './detect.ts';
import { POSTS, S10_ITEMS } from './posts.ts';
import { WESTERN } from './western.ts';
import { WORLD } from './world.ts';

const FORMATS = [...[...S10_ITEMS.values()].flat(), ...POSTS, ...CHINESE, ...WESTERN, ...WORLD];

test('every form is tried for every number that matches it', () => {
  for (const format of FORMATS) {
    const [carrier, pattern] = format;
    const anyway = new RegExp(pattern.source.replace(/\(\?[!=][^)]*\)/g, ''));
    fc.assert(
      fc.property(fc.stringMatching(anyway), (number) => {
        fc.pre(pattern.test(number));
        expect([carrier, number, formatsFor(number).includes(format)]).toEqual([carrier, number, true]);
      }),
      { numRuns: 20 },
    );
  }
});
