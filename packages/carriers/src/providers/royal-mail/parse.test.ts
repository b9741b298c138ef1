import { testFixtures } from '../../testing/fixtures.ts';
import { parseEvents } from './parse.ts';

testFixtures(import.meta.url, parseEvents, 'royal-mail');
