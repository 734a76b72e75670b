import { Checkbox, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, useChange } from '../api/index.js';
import { DialogForm, messageAt } from '../ui/index.js';
import { EXPIRY_CHOICES, expiresOf, type ExpiryChoice } from './key-expiry.js';
import { NewKey, type NewKeyText } from './new-key.js';

export interface ScopeChoice<Scope extends string> {
  value: Scope;
  label: string;
  description: string;
}

interface NewKeyBody<Scope extends string> {
  name: string;
  expires: string;
  scopes: Scope[];
}

interface CreateKeyProps<Scope extends string, Created> {
  isOpen: boolean;
  onClose: () => void;
  /** Path of the list that the key is added to. */
  path: string;
  title: string;
  placeholder: string;
  scopes: ScopeChoice<Scope>[];
  chosen: Scope[];
  mayNeverExpire: boolean;
  textOf: (created: Created) => NewKeyText;
}

/** Asks what a key is for, creates it and shows its text once. */
export function CreateKey<Scope extends string, Created>(props: CreateKeyProps<Scope, Created>) {
  const { isOpen, onClose, path, title, textOf } = props;
  const creation = useChange((body: NewKeyBody<Scope>) => api.post<Created>(path, body), { refreshes: [path] });
  const close = () => {
    // Drops the text of the key.
    creation.reset();
    onClose();
  };
  const created = creation.data && textOf(creation.data);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={created ? 'Store it now' : title}
      size={created ? 'lg' : 'md'}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // The text is shown once: a stray click must not close the dialog.
      closeOnClickOutside={!created}
      closeOnEscape={!created}
    >
      {created ? (
        <NewKey {...created} onDone={close} />
      ) : (
        <CreationForm {...props} creation={creation} onClose={close} />
      )}
    </Modal>
  );
}

type CreationFormProps<Scope extends string, Created> = Pick<
  CreateKeyProps<Scope, Created>,
  'placeholder' | 'scopes' | 'chosen' | 'mayNeverExpire' | 'onClose'
> & { creation: ReturnType<typeof useChange<Created, NewKeyBody<Scope>>> };

function CreationForm<Scope extends string, Created>(props: CreationFormProps<Scope, Created>) {
  const { placeholder, scopes: choices, chosen, mayNeverExpire, creation, onClose } = props;
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<ExpiryChoice>('90');
  const [day, setDay] = useState('');
  const [scopes, setScopes] = useState<string[]>(chosen);
  const submit = () => creation.mutate({ name, expires: expiresOf(choice, day), scopes: scopes as Scope[] });
  return (
    <DialogForm submitLabel="Create" onSubmit={submit} onCancel={onClose} isReady={scopes.length > 0} change={creation}>
      <TextInput
        label="Name"
        description="Where it is used: it tells you later whether it may go."
        placeholder={placeholder}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={messageAt(creation.error, 'name')}
        required
        maxLength={200}
        data-autofocus
      />
      <NativeSelect
        label="Expires"
        data={EXPIRY_CHOICES.filter(({ value }) => mayNeverExpire || value !== 'never')}
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
          {choices.map((scope) => (
            <Checkbox key={scope.value} {...scope} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
