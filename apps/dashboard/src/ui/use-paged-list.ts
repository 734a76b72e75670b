import { useApi, type ApiError, type UseApiOptions } from '../api/index.js';
import { usePageTokens, type PageTokens } from './use-page-tokens.js';

/** A page of any list. */
interface Page<Row> {
  data: Row[];
  /** null: this was the last page. */
  nextPageToken: string | null;
}

/** What a `DataTable` shows of a list that comes in pages. */
export interface PagedList<Row> {
  rows: Row[] | undefined;
  error: ApiError | null;
  onRetry: () => void;
  paging: PageTokens & { nextPageToken: string | null | undefined };
}

/** `GET path?filters`, page by page. What is shown stays until another page, or other filters, have their answer. */
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
