import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { announce } from './notices.js';

export interface CopyButtonProps {
  value: string;
  /** Name for screen readers and the tooltip, such as "Copy APP_ID". */
  label: string;
  /** Shows the label beside the icon. */
  isWide?: boolean;
}

export function CopyButton({ value, label, isWide = false }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  const copy = () => {
    clipboard.copy(value);
    announce('Copied');
  };
  const icon = clipboard.copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  if (isWide) {
    return (
      <Button variant="default" leftSection={icon} onClick={copy}>
        {label}
      </Button>
    );
  }
  return (
    <Tooltip label={clipboard.copied ? 'Copied' : label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={copy}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
