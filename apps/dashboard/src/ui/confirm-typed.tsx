import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ErrorNote } from './error-note.js';

export interface ConfirmProps {
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  /** Consequences of the action. */
  children: ReactNode;
  /** A verb phrase such as "Delete application". */
  confirmLabel: string;
  isPending?: boolean;
  error?: Error | null;
}

/** Asks before an irreversible action. */
export function Confirm({ isOpen, onClose, onConfirm, title, children, confirmLabel, isPending, error }: ConfirmProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Question {...{ onClose, onConfirm, confirmLabel, isPending, error }}>{children}</Question>
    </Modal>
  );
}

export interface ConfirmTypedProps extends ConfirmProps {
  /** Text that the user must type: the name of the deleted object. */
  expected: string;
}

/** Asks before an action with wide consequences. */
export function ConfirmTyped({ isOpen, onClose, title, ...question }: ConfirmTypedProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <TypedQuestion onClose={onClose} {...question} />
    </Modal>
  );
}

/** Closing the dialog unmounts this and drops the typed text. */
function TypedQuestion({ expected, children, ...question }: Omit<ConfirmTypedProps, 'isOpen' | 'title'>) {
  const [typed, setTyped] = useState('');
  return (
    <Question {...question} isReady={typed.trim() === expected}>
      {children}
      <TextInput
        mt="sm"
        label={`Type “${expected}” to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </Question>
  );
}

interface QuestionProps extends Pick<ConfirmProps, 'onClose' | 'onConfirm' | 'confirmLabel' | 'isPending' | 'error'> {
  isReady?: boolean;
  children: ReactNode;
}

function Question({ onClose, onConfirm, confirmLabel, isPending, error, isReady = true, children }: QuestionProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" component="div">
          {children}
        </Text>
        {error && <ErrorNote error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={!isReady} loading={isPending ?? false}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
