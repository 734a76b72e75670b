import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
import classes from './secret.module.css';

export interface SecretProps {
  /** For example "API key". */
  label: string;
  value: string;
  /** Instructions for storing it. */
  children?: ReactNode;
}

/** Shows a secret once; the page does not keep it. */
export function Secret({ label, value, children }: SecretProps) {
  return (
    <Alert variant="default" icon={<IconKey aria-hidden />} title={`${label}: shown this once`}>
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap">
          <Code block className={classes.value} data-testid="secret" aria-label={label} tabIndex={0} role="group">
            {value}
          </Code>
          <CopyButton value={value} label={`Copy ${label}`} />
        </Group>
        {children && (
          <Text size="sm" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
