import { Alert, Anchor, Button, Code, Group, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconSend } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import type { MessageDetail } from '#operator-api';
import { api, segment, useApi, useChange } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { CopyButton, ErrorNote, notify, Page, StateBadge, When } from '../../ui/index.js';
import { Attempts } from './attempts.js';
import { bodyText } from './body-text.js';
import classes from './deliveries.module.css';
import { whyGivenUp } from './explanations.js';
import { Facts } from './facts.js';

const EVERY_MS = 3_000;
const BACK = { to: '/messages', label: 'Messages' };

export default function MessagePage() {
  const { messageId = '' } = useParams();
  const path = `/messages/${segment(messageId)}`;
  const message = useApi<MessageDetail>(path, {}, { refetchInterval: EVERY_MS });
  const mayChange = useMayChange();
  const resend = useChange(() => api.post(`${path}/resend`), {
    refreshes: ['/messages', '/endpoints', '/deliveries'],
    onDone: () => notify('It is sent again, beside its schedule: the attempt appears below.'),
  });
  const { data } = message;
  return (
    <Page
      title={data?.eventType ?? 'Message'}
      back={BACK}
      badge={data && <StateBadge state={data.state} />}
      description={
        <Group gap={4} wrap="nowrap">
          <span className={classes.url}>{messageId}</span>
          <CopyButton value={messageId} label="Copy webhook-id" />
        </Group>
      }
      actions={
        mayChange &&
        data && (
          <Button
            leftSection={<IconSend size={16} aria-hidden />}
            onClick={() => resend.mutate()}
            loading={resend.isPending}
          >
            Resend
          </Button>
        )
      }
    >
      {message.error && <ErrorNote error={message.error} onRetry={() => void message.refetch()} />}
      {resend.error && <ErrorNote error={resend.error} title="It could not be resent" />}
      {data?.state === 'failed' && <GivenUp message={data} />}
      <Facts
        facts={{
          Endpoint: data && (
            <Anchor component={Link} to={`/endpoints/${encodeURIComponent(data.endpointId)}`} inherit>
              {data.url ?? 'removed'}
            </Anchor>
          ),
          Application: data && (
            <Anchor component={Link} to={`/applications/${encodeURIComponent(data.applicationId)}`} inherit>
              {data.applicationName}
            </Anchor>
          ),
          Made: data && <When at={data.createdAt} isLong />,
          'Next attempt': data && <When at={data.nextAttemptAt} never="none" isLong />,
        }}
      />
      <section aria-labelledby="attempts">
        <Title order={2} size="h4" id="attempts" mb="xs">
          Attempts
        </Title>
        {data && <Attempts log={data.log} />}
      </section>
      <section aria-labelledby="body">
        <Group gap="xs" mb="xs">
          <Title order={2} size="h4" id="body">
            Body
          </Title>
          {data && <CopyButton value={data.body} label="Copy body as it is sent" />}
        </Group>
        {data && (
          <Code block className={classes.text} tabIndex={0} role="group" aria-labelledby="body">
            {bodyText(data.body)}
          </Code>
        )}
      </section>
    </Page>
  );
}

function GivenUp({ message }: { message: MessageDetail }) {
  const { what, todo } = whyGivenUp(message);
  return (
    <Alert variant="default" icon={<IconAlertTriangle aria-hidden />} title="It was not delivered">
      <Text size="sm">{what}</Text>
      <Text size="sm">{todo}</Text>
    </Alert>
  );
}
