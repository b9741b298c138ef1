import { testFixtures } from '../../testing/fixtures.ts';
import { parseParcels } from './parse.ts';

testFixtures(import.meta.url, parseParcels, 'gls');
