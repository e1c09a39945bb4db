import { modelRows, type Database } from '#lib/platform';

/** All outside servers, in the order of their ids. */
export async function storedServers(database: Pick<Database, '$queryRaw'>): Promise<readonly object[]> {
  return serverRows(database.$queryRaw`SELECT * FROM mcp_server ORDER BY name`);
}

/** Rows of servers as Prisma gives them: the column with the id is called `name`. */
export async function serverRows(rows: Promise<readonly Readonly<Record<string, unknown>>[]>): Promise<readonly object[]> {
  return (await modelRows<Readonly<Record<string, unknown>>>(rows)).map(({ name: id, ...row }) => ({ id, ...row }));
}
