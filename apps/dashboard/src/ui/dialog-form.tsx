import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type { ApiError } from '../api/index.js';
import { ErrorNote } from './error-note.js';

export interface DialogFormProps {
  children: ReactNode;
  submitLabel: string;
  onSubmit: () => void;
  onCancel: () => void;
  isReady?: boolean;
  failureTitle?: string;
  change: { isPending: boolean; error: ApiError | null };
}

export function DialogForm(props: DialogFormProps) {
  const { children, submitLabel, onSubmit, onCancel, isReady = true, failureTitle, change } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <ErrorNote error={change.error} title={failureTitle} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending} disabled={!isReady}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
