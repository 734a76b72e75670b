import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/index.js';
import { CopyButton } from './copy-button.js';

/** What to do about errors whose message cannot know it, by code. */
const ADVICE: Record<string, string> = {
  Forbidden: 'Your role does not allow this, or this page is old. Reload it; if that does not help, ask an admin.',
  NotFound: 'It may have been deleted meanwhile. Go back to the list and look again.',
  Conflict: 'It was changed meanwhile, or something else is in the way. Reload, look, and try again.',
  RateLimited: 'Wait a moment, then try again.',
  Internal: 'Something went wrong in the service. Its log tells more under the request id.',
};

export interface ErrorNoteProps {
  /** null: nothing went wrong, nothing is shown. */
  error: Error | null;
  /** "Could not …" */
  title?: string;
  onRetry?: (() => void) | undefined;
}

/** What went wrong, what to do about it, and the request id that the log knows it by. */
export function ErrorNote({ error, title = 'That did not work', onRetry }: ErrorNoteProps) {
  if (error === null) return null;
  if (!(error instanceof ApiError)) throw error; // a fault of this page, told by the page that stands for broken ones
  const advice = ADVICE[error.code];
  return (
    <Alert role="alert" color="red" variant="default" icon={<IconAlertTriangle aria-hidden />} title={title} mb="sm">
      <Text size="sm">{error.message}</Text>
      {advice && <Text size="sm">{advice}</Text>}
      {error.retryAfter !== null && <Text size="sm">Try again in {waitText(error.retryAfter)}.</Text>}
      <Group gap="xs" mt="xs">
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {error.requestId !== null && (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              Request id
            </Text>
            <Code>{error.requestId}</Code>
            <CopyButton value={error.requestId} label="Copy request id" />
          </Group>
        )}
      </Group>
    </Alert>
  );
}

/** What the API says about one field of the input: for the `error` of its control. */
export function messageAt(error: Error | null, field: string): string | undefined {
  return error instanceof ApiError ? error.details.find(({ path }) => path === field)?.message : undefined;
}

function waitText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
