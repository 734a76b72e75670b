import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

const MAX_RETRIES = 2;

/** Rejections (4xx) would repeat. */
function isPassing(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

/** Retries reads, but never changes. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < MAX_RETRIES && isPassing(error),
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      networkMode: 'always', // the service may run on this machine without a network
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
