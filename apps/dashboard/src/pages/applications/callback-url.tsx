import { Code, Group, Text } from '@mantine/core';
import type { Api } from '../../api/index.js';
import { useProviders } from '../../providers/index.js';
import { CopyButton } from '../../ui/index.js';
import classes from './callback-url.module.css';

/** The provider requires an exact match with this URL. */
export function CallbackUrl({ client: { provider, callbackUrl } }: { client: Api.OAuthClient }) {
  const { name, redirectName } = useProviders().formOf(provider);
  return (
    <div>
      <Text size="sm" fw={500}>
        Callback URL
      </Text>
      <Text size="xs" c="dimmed">
        To be registered under “{redirectName}”, exactly as it is.
      </Text>
      <Group gap={4} wrap="nowrap" mt={4}>
        <Code className={classes.url}>{callbackUrl}</Code>
        <CopyButton value={callbackUrl} label={`Copy callback URL of ${name}`} />
      </Group>
    </div>
  );
}
