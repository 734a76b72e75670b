import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { api, useApi, useChange, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { Confirm, DataTable, EmptyState, ErrorNote, notify, type Column, messageAt } from '../../ui/index.js';
import { ApplicationFrame } from './application-frame.js';

export default function RedirectUrlsPage() {
  return (
    <ApplicationFrame>{(application) => <RedirectUrls key={application.id} {...{ application }} />}</ApplicationFrame>
  );
}

function RedirectUrls({ application: { id, environment } }: { application: Api.Application }) {
  const path = `/applications/${id}/redirectUrls`;
  const { data, error, refetch } = useApi<Api.RedirectUrlList>(path);
  const [toRemove, setToRemove] = useState<string | null>(null);
  const mayChange = useMayChange();
  const urls = data?.data.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  return (
    <Stack>
      <Text size="sm" c="dimmed" maw="75ch">
        Where users are sent back to after they connected an account. The application names one when it begins a
        sign-in, spelt exactly as here; when it names none, the default is taken: the one that was added first.{' '}
        {environment === 'production'
          ? 'In production every URL begins with https:// and leads to a host of yours; localhost is for development.'
          : 'In development http:// may be used too, for localhost, 127.0.0.1 and [::1].'}
      </Text>
      {mayChange && <AddRedirectUrl path={path} environment={environment} />}
      <DataTable
        label="Redirect URLs"
        columns={mayChange ? [...COLUMNS, removeColumn(setToRemove)] : COLUMNS}
        rows={urls}
        rowKey={({ url }) => url}
        error={error}
        onRetry={() => void refetch()}
        expectedRows={2}
        empty={
          <EmptyState icon={<IconArrowBackUp size={28} />} title="No redirect URLs yet">
            Until there is one nobody can connect an account by signing in: the service would not know where to send
            them back to.
            {mayChange ? ' Add the page of your application that takes them in.' : ' An admin adds it.'}
          </EmptyState>
        }
      />
      <RemoveRedirectUrl url={toRemove} path={path} onClose={() => setToRemove(null)} />
    </Stack>
  );
}

const COLUMNS: Column<Api.RedirectUrl>[] = [
  { header: 'URL', isRowHeader: true, cell: ({ url }) => url },
  {
    header: 'Use',
    cell: ({ isDefault }) => (isDefault ? <Badge variant="default">Default</Badge> : 'when it is named'),
  },
];

function removeColumn(onRemove: (url: string) => void): Column<Api.RedirectUrl> {
  return {
    header: '',
    hiddenHeader: 'Actions',
    align: 'end',
    cell: ({ url }) => (
      <Button size="xs" variant="default" onClick={() => onRemove(url)} aria-label={`Remove ${url}`}>
        Remove
      </Button>
    ),
  };
}

function AddRedirectUrl({ path, environment }: { path: string } & Pick<Api.Application, 'environment'>) {
  const [url, setUrl] = useState('');
  const addition = useChange((body: { url: string }) => api.post(path, body), {
    refreshes: [path],
    onDone: () => {
      setUrl('');
      notify('Redirect URL added');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    addition.mutate({ url });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <TextInput
          label="New redirect URL"
          type="url"
          flex="1 1 16rem"
          placeholder={
            environment === 'production' ? 'https://app.example.com/connected' : 'http://localhost:4000/connected'
          }
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={messageAt(addition.error, 'url')}
          required
          maxLength={2_000}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" loading={addition.isPending} mt={{ base: 0, xs: 25 }}>
          Add
        </Button>
      </Group>
      <ErrorNote error={addition.error} />
    </form>
  );
}

interface RemoveRedirectUrlProps {
  url: string | null;
  path: string;
  onClose: () => void;
}

function RemoveRedirectUrl({ url, path, onClose }: RemoveRedirectUrlProps) {
  const removal = useChange((body: { url: string }) => api.post(`${path}/remove`, body), {
    refreshes: [path],
    onDone: () => {
      notify('Redirect URL removed');
      onClose();
    },
  });
  const close = () => {
    removal.reset();
    onClose();
  };
  return (
    <Confirm
      isOpen={url !== null}
      onClose={close}
      onConfirm={() => url !== null && removal.mutate({ url })}
      title="Remove this redirect URL?"
      confirmLabel="Remove"
      isPending={removal.isPending}
      error={removal.error}
    >
      Sign-ins that name {url} are refused from now on.
    </Confirm>
  );
}
