import { useState } from 'react';

export interface PageTokens {
  /** undefined for the first page. */
  pageToken: string | undefined;
  hasPrevious: boolean;
  next: (nextPageToken: string) => void;
  previous: () => void;
}

/** Tokens are valid for one set of `filters`, so a change of filters returns to the first page. */
export function usePageTokens(filters: object = {}): PageTokens {
  const of = JSON.stringify(filters);
  const [trail, setTrail] = useState<{ of: string; tokens: string[] }>({ of, tokens: [] });
  const tokens = trail.of === of ? trail.tokens : [];
  return {
    pageToken: tokens.at(-1),
    hasPrevious: tokens.length > 0,
    next: (nextPageToken) => setTrail({ of, tokens: [...tokens, nextPageToken] }),
    previous: () => setTrail({ of, tokens: tokens.slice(0, -1) }),
  };
}
