import { Checkbox, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, useChange, type Api } from '../../api/index.js';
import { DialogForm, messageAt } from '../../ui/index.js';
import { EXPIRY_CHOICES, expiresOf, type ExpiryChoice } from './key-expiry.js';
import { NewApiKey } from './new-api-key.js';

const SCOPES: { value: Api.ApiKeyScope; label: string; description: string }[] = [
  { value: 'read', label: 'read', description: 'Accounts, calendars, events, free/busy.' },
  { value: 'write', label: 'write', description: 'Connects and removes accounts, changes events, subscribes.' },
  { value: 'credentials:read', label: 'credentials:read', description: 'Hands out access tokens of accounts.' },
];

interface CreateApiKeyProps {
  isOpen: boolean;
  onClose: () => void;
  /** Path of the application's keys. */
  path: string;
}

export function CreateApiKey({ isOpen, onClose, path }: CreateApiKeyProps) {
  const creation = useChange((body: Api.CreateApiKey) => api.post<Api.NewApiKey>(path, body), { refreshes: [path] });
  const close = () => {
    // Drops the text of the key.
    creation.reset();
    onClose();
  };
  const created = creation.data;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={created ? 'Store the key now' : 'Create an API key'}
      size={created ? 'lg' : 'md'}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // The key is shown once: a stray click must not close the dialog.
      closeOnClickOutside={!created}
      closeOnEscape={!created}
    >
      {created ? <NewApiKey created={created} onDone={close} /> : <CreationForm creation={creation} onClose={close} />}
    </Modal>
  );
}

interface CreationFormProps {
  creation: ReturnType<typeof useChange<Api.NewApiKey, Api.CreateApiKey>>;
  onClose: () => void;
}

function CreationForm({ creation, onClose }: CreationFormProps) {
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<ExpiryChoice>('90');
  const [day, setDay] = useState('');
  const [scopes, setScopes] = useState<string[]>(['read', 'write']);
  const submit = () => creation.mutate({ name, expires: expiresOf(choice, day), scopes: scopes as Api.ApiKeyScope[] });
  return (
    <DialogForm submitLabel="Create" onSubmit={submit} onCancel={onClose} isReady={scopes.length > 0} change={creation}>
      <TextInput
        label="Name"
        description="Where it is used: it tells you later whether the key may go."
        placeholder="backend, production"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={messageAt(creation.error, 'name')}
        required
        maxLength={200}
        data-autofocus
      />
      <NativeSelect
        label="Expires"
        data={[...EXPIRY_CHOICES]}
        value={choice}
        onChange={(event) => setChoice(event.currentTarget.value as ExpiryChoice)}
        error={choice !== 'date' && messageAt(creation.error, 'expires')}
      />
      {choice === 'date' && (
        <TextInput
          type="date"
          label="Last day"
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          error={messageAt(creation.error, 'expires')}
          required
        />
      )}
      <Checkbox.Group
        label="Scopes"
        description="The fewest that its use needs."
        value={scopes}
        onChange={setScopes}
        error={messageAt(creation.error, 'scopes')}
      >
        <Stack gap="xs" mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox key={scope.value} {...scope} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
