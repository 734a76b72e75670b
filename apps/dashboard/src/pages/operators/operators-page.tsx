import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { useApi, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { Page } from '../../ui/index.js';
import { InvitationsList } from './invitations-list.js';
import { InviteDialog } from './invite-dialog.js';
import { OperatorsList } from './operators-list.js';
import { TokensList } from './tokens-list.js';

export default function OperatorsPage() {
  const mayChange = useMayChange();
  const { isPending } = useApi<Api.OperatorList>('/operators');
  const invitations = useApi<Api.InvitationList>('/invitations');
  const [isInviting, { open, close }] = useDisclosure(false);
  return (
    <Page
      title="Operators"
      description="Who may use this dashboard. Viewers see everything that is not secret; admins change it as well."
      actions={
        mayChange && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
            Invite an operator
          </Button>
        )
      }
    >
      <OperatorsList />
      {/* Each is rendered once the length of the lists above is known, so that it does not move. */}
      {!isPending && <InvitationsList onInvite={open} />}
      {!isPending && !invitations.isPending && <TokensList />}
      <InviteDialog isOpen={isInviting} onClose={close} />
    </Page>
  );
}
