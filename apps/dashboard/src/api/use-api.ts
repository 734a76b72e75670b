import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { ApiError } from './api-error.js';
import { api } from './client.js';

export interface UseApiOptions<T> {
  enabled?: boolean;
  /** Milliseconds. Pauses while the page is hidden, and ends when there is nothing at the path (404). */
  refetchInterval?: number | false | ((current: T | undefined) => number | false);
  /** Shows the previous data until new filters or another page have loaded. */
  keepPrevious?: boolean;
  /** The data do not change while the page is open. */
  isFixed?: boolean;
}

/** Reads `GET path?query`. Caches by path and query; {@link useChange} invalidates paths by prefix. */
export function useApi<T>(
  path: string,
  query: object = {},
  options: UseApiOptions<T> = {},
): UseQueryResult<T, ApiError> {
  const { enabled = true, refetchInterval = false, keepPrevious = false, isFixed = false } = options;
  return useQuery<T, ApiError>({
    queryKey: [path, query],
    queryFn: ({ signal }) => api.get<T>(path, query, signal),
    enabled,
    refetchInterval: ({ state: { data, error } }) => {
      if (error?.status === 404) return false;
      return typeof refetchInterval === 'function' ? refetchInterval(data) : refetchInterval;
    },
    ...(isFixed && { staleTime: Infinity }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
}

export interface UseChangeOptions<T, I> {
  /** Path prefixes to read again. */
  refreshes?: string[];
  onDone?: (result: T, input: I) => void;
}

/** Call `mutate(input)` to send the change; show `error` in an `ErrorNote`. */
export function useChange<T, I = void>(
  send: (input: I) => Promise<T>,
  { refreshes = [], onDone }: UseChangeOptions<T, I> = {},
): UseMutationResult<T, ApiError, I> {
  const queryClient = useQueryClient();
  return useMutation<T, ApiError, I>({
    mutationFn: send,
    onSuccess: async (result, input) => {
      onDone?.(result, input);
      await queryClient.invalidateQueries({
        predicate: ({ queryKey: [path] }) => refreshes.some((start) => isBelow(String(path), start)),
      });
    },
  });
}

function isBelow(path: string, start: string): boolean {
  return path === start || path.startsWith(`${start}/`);
}
