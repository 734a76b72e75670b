/** What every list takes besides its filters. */
export interface PageQuery {
  /** 1 to 200; 50. */
  limit?: number;
  /** `nextPageToken` of the page before, with the same filters. */
  pageToken?: string;
}

export interface Page<T> {
  data: T[];
  /** null: this was the last page. */
  nextPageToken: string | null;
}

/** A list that is short. */
export interface All<T> {
  data: T[];
}
