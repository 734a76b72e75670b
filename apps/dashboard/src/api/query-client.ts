import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

const MOST_RETRIES = 2;

/** Of what the server could not do just now. What it refuses it refuses again. */
function isPassing(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

/** Reads are tried again, never changes. Nothing is read again for the mere reason that a window got the focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < MOST_RETRIES && isPassing(error),
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      networkMode: 'always', // the service may be on this machine, which needs no network
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
