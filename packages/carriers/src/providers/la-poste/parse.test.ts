import { testFixtures } from '../../testing/fixtures.ts';
import { parseIdships } from './parse.ts';

testFixtures(import.meta.url, parseIdships, 'colissimo');
