import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, useChange, type Api } from '../../api/index.js';
import { DialogForm, messageAt, Secret, When } from '../../ui/index.js';
import { ROLES } from './roles.js';

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Invite an operator">
      <CreateInvitation onClose={onClose} />
    </Modal>
  );
}

/** Closing the dialog unmounts this and drops the link. */
function CreateInvitation({ onClose }: { onClose: () => void }) {
  const [input, setInput] = useState<Api.CreateInvitation>({ email: '', role: 'viewer' });
  const invite = useChange((invited: Api.CreateInvitation) => api.post<Api.NewInvitation>('/invitations', invited), {
    refreshes: ['/invitations'],
  });
  if (invite.data) {
    return (
      <Stack gap="sm">
        <Secret label="Invitation link" value={invite.data.link}>
          Hand it to {invite.data.email} in a way that only they can read. It works once, until{' '}
          <When at={invite.data.expiresAt} isLong />.
        </Secret>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <DialogForm
      submitLabel="Invite"
      onSubmit={() => invite.mutate(input)}
      onCancel={onClose}
      failureTitle="Nobody was invited"
      change={invite}
    >
      <TextInput
        label="Email"
        type="email"
        required
        withAsterisk={false}
        data-autofocus
        value={input.email}
        onChange={(event) => setInput({ ...input, email: event.currentTarget.value })}
        error={messageAt(invite.error, 'email')}
      />
      <NativeSelect
        label="Role"
        description="Viewers read. Admins change things as well, operators included."
        data={ROLES}
        value={input.role}
        onChange={(event) => setInput({ ...input, role: event.currentTarget.value as Api.OperatorRole })}
      />
    </DialogForm>
  );
}
