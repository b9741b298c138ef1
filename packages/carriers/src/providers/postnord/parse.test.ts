import { testFixtures } from '../../testing/fixtures.ts';
import { parseTrackAndTrace } from './parse.ts';

testFixtures(import.meta.url, parseTrackAndTrace, 'postnord');
