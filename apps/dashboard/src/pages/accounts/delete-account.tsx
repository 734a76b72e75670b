import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, useChange, type Api } from '../../api/index.js';
import { ConfirmTyped, notify, Panel } from '../../ui/index.js';

export function DeleteAccount({ account: { id, email } }: { account: Api.AccountDetail }) {
  const [isAsking, asking] = useDisclosure(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const deletion = useChange(() => api.delete(`/accounts/${id}`), {
    onDone: () => {
      notify('Account deleted');
      // Only the list: other queries would ask for the deleted account.
      void queries.invalidateQueries({ queryKey: ['/accounts'] });
      void navigate('/accounts');
    },
  });
  return (
    <Panel title="Delete this account">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          This deletes its credentials and subscriptions, revokes its grant and notifies its application. The calendars
          stay.
        </Text>
        <Button color="red" onClick={asking.open}>
          Delete account
        </Button>
      </Group>
      <ConfirmTyped
        isOpen={isAsking}
        onClose={asking.close}
        onConfirm={() => deletion.mutate()}
        title="Delete this account?"
        expected={email}
        confirmLabel="Delete account"
        isPending={deletion.isPending}
        error={deletion.error}
      >
        This cannot be undone. Connected again, it is another account with another id.
      </ConfirmTyped>
    </Panel>
  );
}
