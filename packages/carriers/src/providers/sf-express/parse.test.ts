import { testFixtures } from '../../testing/fixtures.ts';
import { parseRoutes } from './parse.ts';

testFixtures(import.meta.url, parseRoutes, 'sf-express');
