import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { CopyButton, Secret } from '../ui/index.js';
import classes from './new-key.module.css';

export interface NewKeyText {
  /** `API key` */
  label: string;
  text: string;
  /** A request to try it with. null when its scopes allow none. */
  trial: { description: string; curl: string } | null;
}

/** Shows the text of a key once, with a request to test it. */
export function NewKey({ label, text, trial, onDone }: NewKeyText & { onDone: () => void }) {
  return (
    <Stack>
      <Secret label={label} value={text}>
        Only a hash of it is kept. If it gets lost, create another one and revoke this one.
      </Secret>
      {trial && (
        <div>
          <Text size="sm">{trial.description}</Text>
          <Group gap="xs" wrap="nowrap" mt={4}>
            <Code block className={classes.command} data-testid="curl" aria-label="Command" tabIndex={0} role="group">
              {trial.curl}
            </Code>
            <CopyButton value={trial.curl} label="Copy command" />
          </Group>
        </div>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have stored it</Button>
      </Group>
    </Stack>
  );
}
