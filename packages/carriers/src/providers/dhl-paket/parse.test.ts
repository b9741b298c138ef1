import { testFixtures } from '../../testing/fixtures.ts';
import { parsePieces } from './parse.ts';

testFixtures(import.meta.url, parsePieces, 'dhl-paket');
