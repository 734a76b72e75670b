import { Button, Code, Group, Text } from '@mantine/core';
import { api, useChange, type Api } from '../../api/index.js';
import { CopyButton, ErrorNote } from '../../ui/index.js';
import classes from './reconnect-link.module.css';

interface ReconnectLinkProps {
  accountId: string;
  /** The account does not work until its user reconnects it. */
  isNeeded: boolean;
}

/** For the user of the account; operators must not follow it. */
export function ReconnectLink({ accountId, isNeeded }: ReconnectLinkProps) {
  const link = useChange(() => api.post<Api.ReconnectLink>(`/accounts/${accountId}/reconnectLink`));
  if (link.data) {
    return (
      <div>
        <Text size="sm">
          Send this to the person whose account it is. It asks them to sign in with the same address.
        </Text>
        <Group gap={4} wrap="nowrap" mt={4}>
          <Code className={classes.url} data-testid="reconnect-link">
            {link.data.url}
          </Code>
          <CopyButton value={link.data.url} label="Copy reconnect link" />
        </Group>
      </div>
    );
  }
  return (
    <div>
      {link.error && <ErrorNote error={link.error} title="There is no link" />}
      <Button variant={isNeeded ? 'filled' : 'default'} loading={link.isPending} onClick={() => link.mutate()}>
        Get reconnect link
      </Button>
    </div>
  );
}
