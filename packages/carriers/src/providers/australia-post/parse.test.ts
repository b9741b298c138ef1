import { testFixtures } from '../../testing/fixtures.ts';
import { parseTrack } from './parse.ts';

testFixtures(import.meta.url, parseTrack, 'australia-post');
