import { Button, Code, Group, Stack, Text } from '@mantine/core';
import type { Api } from '../../api/index.js';
import { CopyButton, Secret } from '../../ui/index.js';
import classes from './new-api-key.module.css';

interface NewApiKeyProps {
  created: Api.NewApiKey;
  onDone: () => void;
}

/** Shows the text of a key once, with a request to test it. */
export function NewApiKey({ created: { apiKey, scopes }, onDone }: NewApiKeyProps) {
  const curl = `curl -H 'x-api-key: ${apiKey}' ${window.location.origin}/api/v1/endUserAccounts`;
  return (
    <Stack>
      <Secret label="API key" value={apiKey}>
        Only a hash of it is kept. If it gets lost, create another one and revoke this one.
      </Secret>
      {scopes.includes('read') && (
        <div>
          <Text size="sm">Try it: the accounts of this application.</Text>
          <Group gap="xs" wrap="nowrap" mt={4}>
            <Code block className={classes.command} data-testid="curl" aria-label="Command" tabIndex={0} role="group">
              {curl}
            </Code>
            <CopyButton value={curl} label="Copy command" />
          </Group>
        </div>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have stored it</Button>
      </Group>
    </Stack>
  );
}
