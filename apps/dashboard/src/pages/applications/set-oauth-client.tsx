import { Modal, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, useChange, type Api } from '../../api/index.js';
import { useProviders } from '../../providers/index.js';
import { DialogForm, messageAt, notify } from '../../ui/index.js';
import { CallbackUrl } from './callback-url.js';

interface SetOAuthClientProps {
  isOpen: boolean;
  onClose: () => void;
  client: Api.OAuthClient;
  /** Path of the application's clients. */
  list: string;
}

export function SetOAuthClient({ isOpen, onClose, ...form }: SetOAuthClientProps) {
  const { name } = useProviders().formOf(form.client.provider);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={`OAuth client of ${name}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ClientForm onClose={onClose} {...form} />
    </Modal>
  );
}

function ClientForm({ client, list, onClose }: Omit<SetOAuthClientProps, 'isOpen'>) {
  const own = client.source === 'application' ? client : null;
  const { tenant: tenantMeaning } = useProviders().formOf(client.provider);
  const [clientId, setClientId] = useState(own?.clientId ?? '');
  const [clientSecret, setClientSecret] = useState('');
  const [scopes, setScopes] = useState(own?.scopes?.join(' ') ?? '');
  const [tenant, setTenant] = useState(own?.tenant ?? '');
  const [expiresAt, setExpiresAt] = useState(own?.expiresAt?.slice(0, 10) ?? '');
  const keepsSecret = own !== null && own.clientId === clientId.trim();
  const change = useChange((body: Api.SetOAuthClient) => api.put(`${list}/${client.provider}`, body), {
    refreshes: [list],
    onDone: () => {
      notify('Client saved');
      onClose();
    },
  });
  const submit = () =>
    change.mutate({
      clientId: clientId.trim(),
      ...(clientSecret !== '' && { clientSecret }),
      scopes: scopes.trim() === '' ? null : scopes.trim().split(/\s+/),
      tenant: tenant.trim() === '' ? null : tenant.trim(),
      expiresAt: expiresAt === '' ? null : expiresAt,
    });
  return (
    <DialogForm submitLabel="Save" onSubmit={submit} onCancel={onClose} change={change}>
      <CallbackUrl client={client} />
      <TextInput
        label="Client id"
        value={clientId}
        onChange={(event) => setClientId(event.currentTarget.value)}
        error={messageAt(change.error, 'clientId')}
        required
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <PasswordInput
        label="Client secret"
        description={
          keepsSecret
            ? 'Empty: the one that is stored stays. It is shown to nobody.'
            : 'Stored encrypted, shown to nobody.'
        }
        value={clientSecret}
        onChange={(event) => setClientSecret(event.currentTarget.value)}
        error={messageAt(change.error, 'clientSecret')}
        required={!keepsSecret}
        maxLength={500}
        autoComplete="new-password"
      />
      <TextInput
        label="Secret ends"
        description="Alerts warn 30, 14 and 3 days before this day. Empty: unknown."
        type="date"
        value={expiresAt}
        onChange={(event) => setExpiresAt(event.currentTarget.value)}
        error={messageAt(change.error, 'expiresAt')}
      />
      <Textarea
        label="Scopes"
        description={`Empty: ${client.defaultScopes.join(' ')}`}
        value={scopes}
        onChange={(event) => setScopes(event.currentTarget.value)}
        error={messageAt(change.error, 'scopes')}
        autosize
        minRows={2}
        spellCheck={false}
      />
      {tenantMeaning !== null && (
        <TextInput
          label="Tenant"
          description={tenantMeaning}
          value={tenant}
          onChange={(event) => setTenant(event.currentTarget.value)}
          error={messageAt(change.error, 'tenant')}
          maxLength={253}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </DialogForm>
  );
}
