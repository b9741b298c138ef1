import { testFixtures } from '../../testing/fixtures.ts';
import { parseTrackingData } from './parse.ts';

testFixtures(import.meta.url, parseTrackingData, 'dpd');
