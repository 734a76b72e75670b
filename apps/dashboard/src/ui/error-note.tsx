import { Alert, Anchor, Button, Code, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { ApiError, currentSession } from '../api/index.js';
import { CopyButton } from './copy-button.js';

/** Advice by status, for errors whose message contains none. */
const ADVICE: Record<number, string> = {
  403: 'If you should be allowed to, reload this page; if that does not help, ask an admin.',
  404: 'It may have been deleted meanwhile: go back to the list and look again.',
  500: 'Try again. If it goes on, look for the request id in the log of the api.',
};

export interface ErrorNoteProps {
  error: Error | null;
  title?: string | undefined;
  onRetry?: (() => void) | undefined;
}

export function ErrorNote({ error, title = 'That did not work', onRetry }: ErrorNoteProps) {
  if (error === null) return null;
  if (!(error instanceof ApiError)) throw error; // a bug of this page, shown by the error boundary
  const advice = ADVICE[error.status];
  return (
    <Alert role="alert" color="red" variant="default" icon={<IconAlertTriangle aria-hidden />} title={title} mb="sm">
      <Text size="sm">{error.message}</Text>
      {advice && <Text size="sm">{advice}</Text>}
      {error.details.length > 0 && (
        <List size="sm">
          {error.details.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              {path} {message}
            </List.Item>
          ))}
        </List>
      )}
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
            {currentSession() && (
              <Anchor
                component={Link}
                to={`/requests?${new URLSearchParams({ requestId: error.requestId }).toString()}`}
                size="xs"
              >
                Look it up
              </Anchor>
            )}
          </Group>
        )}
      </Group>
    </Alert>
  );
}

/** Returns the message for one field, for the `error` of its control. */
export function messageAt(error: Error | null, field: string): string | undefined {
  return error instanceof ApiError ? error.details.find(({ path }) => path === field)?.message : undefined;
}
