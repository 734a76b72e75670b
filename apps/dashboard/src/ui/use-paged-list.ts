import { useApi, type ApiError, type UseApiOptions } from '../api/index.js';
import { usePageTokens, type PageTokens } from './use-page-tokens.js';

interface Page<Row> {
  data: Row[];
  /** null on the last page. */
  nextPageToken: string | null;
}

export interface PagedList<Row> {
  rows: Row[] | undefined;
  error: ApiError | null;
  onRetry: () => void;
  paging: PageTokens & { nextPageToken: string | null | undefined };
}

/** Reads `GET path?filters` by pages. Shows the previous data until new data have loaded. */
export function usePagedList<Row>(
  path: string,
  filters: object,
  options: Pick<UseApiOptions<Page<Row>>, 'refetchInterval'> = {},
): PagedList<Row> {
  const tokens = usePageTokens(filters);
  const { data, error, refetch } = useApi<Page<Row>>(
    path,
    { ...filters, pageToken: tokens.pageToken },
    { ...options, keepPrevious: true },
  );
  return {
    rows: data?.data,
    error,
    onRetry: () => void refetch(),
    paging: { ...tokens, nextPageToken: data?.nextPageToken },
  };
}
