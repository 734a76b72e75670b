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
  /** false: is not asked for yet. */
  enabled?: boolean;
  /** Asks again after so many milliseconds, while the page is visible. */
  refetchInterval?: number | false | ((current: T | undefined) => number | false);
  /** What was shown stays until other filters or another page have their answer. */
  keepPrevious?: boolean;
  /** The answer does not change while the page is open. */
  isFixed?: boolean;
}

/** `GET path?query`. Answers are kept by path and query, and dropped by {@link useChange} of a path that begins it. */
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
    refetchInterval:
      typeof refetchInterval === 'function' ? ({ state }) => refetchInterval(state.data) : refetchInterval,
    ...(isFixed && { staleTime: Infinity }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
}

export interface UseChangeOptions<T, I> {
  /** Paths; whatever was read from them or from below is read again. */
  refreshes?: string[];
  onDone?: (result: T, input: I) => void;
}

/** A change: `change.mutate(input)`; `change.error` goes into an `ErrorNote`. */
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
