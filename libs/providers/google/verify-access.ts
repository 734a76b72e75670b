import type { GoogleConnection } from './contract.js';

/** The cheapest call that shows whether the account's access still works. @throws GoogleFault 401 */
export async function verifyAccess(connection: GoogleConnection): Promise<void> {
  await connection.call('read', () => connection.api.calendarList.list({ maxResults: 1, fields: 'kind' }));
}
