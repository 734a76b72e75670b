/**
 * Role that connections take on when their own may pass row-level security (superuser, BYPASSRLS). Without login, with
 * no more than the rights on the rows of our tables; made by the migrations. Roles belong to the whole server, so
 * installations that share one share it.
 */
export const APPLICATION_ROLE = 'unified_calendar_app';
