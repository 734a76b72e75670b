import { useApi, type Api } from '../../api/index.js';

/** Reads from the provider, so expired accounts have none. */
export function useCalendars({ id, status }: Api.AccountDetail) {
  return useApi<Api.AccountCalendars>(`/accounts/${id}/calendars`, {}, { enabled: status === 'ACTIVE' });
}
