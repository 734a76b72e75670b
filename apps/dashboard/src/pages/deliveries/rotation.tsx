import { Button, Group, Stack, Text } from '@mantine/core';
import { api, segment, useChange, type Api } from '../../api/index.js';
import { DialogForm, Secret, When } from '../../ui/index.js';

/** Closing the dialog unmounts this and drops the secret. */
export function Rotation({ endpoint, onClose }: { endpoint: Api.EndpointSummary; onClose: () => void }) {
  const rotate = useChange(() => api.post<Api.RotatedSecret>(`/endpoints/${segment(endpoint.id)}/rotateSecret`));
  if (rotate.data) {
    return (
      <Stack gap="sm">
        <Secret label="Signing secret" value={rotate.data.endpointSecret}>
          Give it to the application now. Until <When at={rotate.data.previousUntil} isLong /> messages are signed with
          the old one as well; if this one is lost, rotate again.
        </Secret>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <DialogForm submitLabel="Rotate secret" onSubmit={() => rotate.mutate()} onCancel={onClose} change={rotate}>
      <Text size="sm">
        The endpoint gets a new secret, which is shown once. For a day messages are signed with both, so that its
        application has time to take the new one.
      </Text>
    </DialogForm>
  );
}
