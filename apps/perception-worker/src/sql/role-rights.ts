import type { Session } from './session.js';

/** What a role should not be able to do, asked of the catalogue. Each gives one row with a name, or with null. */
const questions = `
  SELECT current_user,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
    (SELECT string_agg(rolname, ', ' ORDER BY rolname) FROM pg_roles
      WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_write_all_data', 'pg_signal_backend')
        AND pg_has_role(current_user, oid, 'USAGE')),
    (SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
        AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
      ORDER BY c.oid LIMIT 1),
    has_database_privilege(current_database(), 'CREATE')`;

/** What an administrator is to know of the role whose login was registered. Queries only read whatever it may do: this is the second wall. */
export async function warningsOfRole(session: Session): Promise<readonly string[]> {
  const [row = []] = await session.ask(questions);
  const [role, isSuperuser, members, table, creates] = row;
  if (isSuperuser === 't')
    return [
      `The role ${role} is a superuser: functions of a query can read files of the database's machine and run programs there. Use one that may only read.`,
    ];
  return [
    ...(members ? [`The role ${role} is a member of ${members}, which queries do not need.`] : []),
    ...(table
      ? [`The role ${role} can write, such as to ${table}. Queries run in transactions that only read; a role that may only read is safer.`]
      : []),
    ...(creates === 't' ? [`The role ${role} can create schemas in the database, which queries do not need.`] : []),
  ];
}
