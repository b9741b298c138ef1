import { testFixtures } from '../../testing/fixtures.ts';
import { parseTraces } from './parse.ts';

testFixtures(import.meta.url, parseTraces, 'yto');
