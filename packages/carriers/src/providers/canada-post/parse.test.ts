import { testFixtures } from '../../testing/fixtures.ts';
import { parseDetail } from './parse.ts';

testFixtures(import.meta.url, parseDetail, 'canada-post');
