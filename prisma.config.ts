import { env } from 'node:process';
import { defineConfig } from 'prisma/config';

/** For Prisma's own command line, where it can download its engine: `DATABASE_URL=… npx prisma migrate deploy`. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: env.DATABASE_URL ?? '' },
});
