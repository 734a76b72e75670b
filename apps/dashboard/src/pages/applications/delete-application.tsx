import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, useChange, type Api } from '../../api/index.js';
import { ConfirmTyped, notify, Panel } from '../../ui/index.js';

export function DeleteApplication({ application: { id, name, counts } }: { application: Api.Application }) {
  const [isAsking, asking] = useDisclosure(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const deletion = useChange((confirmation: string) => api.post(`/applications/${id}/delete`, { confirmation }), {
    onDone: () => {
      notify('Application deleted');
      // Only the list: other queries would ask for the deleted application.
      void queries.invalidateQueries({ queryKey: ['/applications'] });
      void navigate('/applications');
    },
  });
  return (
    <Panel title="Delete this application">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Its keys stop working, its accounts and subscriptions go with it. Calendars at the providers stay.
        </Text>
        <Button color="red" onClick={asking.open}>
          Delete application
        </Button>
      </Group>
      <ConfirmTyped
        isOpen={isAsking}
        onClose={asking.close}
        onConfirm={() => deletion.mutate(name)}
        title="Delete this application?"
        expected={name}
        confirmLabel="Delete application"
        isPending={deletion.isPending}
        error={deletion.error}
      >
        This cannot be undone. {counted(counts.accounts, 'account')}, {counted(counts.apiKeys, 'API key')} and{' '}
        {counted(counts.subscriptions, 'subscription')} go with it, and users have to connect their calendars anew.
      </ConfirmTyped>
    </Panel>
  );
}

function counted(count: number, name: string): string {
  return `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;
}
