import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { PageTokens } from './use-page-tokens.js';

/** Renders nothing for a single page. */
export function PagerButtons({
  hasPrevious,
  previous,
  next,
  nextPageToken,
}: PageTokens & { nextPageToken: string | null | undefined }) {
  if (!hasPrevious && !nextPageToken) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconChevronLeft size={14} aria-hidden />}
        disabled={!hasPrevious}
        onClick={previous}
      >
        Previous page
      </Button>
      <Button
        variant="default"
        size="xs"
        rightSection={<IconChevronRight size={14} aria-hidden />}
        disabled={!nextPageToken}
        onClick={() => nextPageToken && next(nextPageToken)}
      >
        Next page
      </Button>
    </>
  );
}
