import { Alert, Anchor, Button, Code, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconSend } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { api, segment, useApi, useChange, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { Facts } from '../../ui/facts.js';
import { CopyButton, ErrorNote, notify, Page, StateBadge, When } from '../../ui/index.js';
import { Attempts } from './attempts.js';
import { bodyText } from './body-text.js';
import classes from './deliveries.module.css';
import { failureExplanation } from './explanations.js';

const EVERY_MS = 3_000;
const BACK = { to: '/messages', label: 'Messages' };

export default function MessagePage() {
  const { messageId = '' } = useParams();
  const path = `/messages/${segment(messageId)}`;
  const message = useApi<Api.MessageDetail>(path, {}, { refetchInterval: EVERY_MS });
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
      {data ? <Message message={data} /> : !message.error && <Skeleton height={560} />}
    </Page>
  );
}

function Message({ message }: { message: Api.MessageDetail }) {
  return (
    <>
      {message.state === 'failed' && <Failed message={message} />}
      <div className={classes.panel}>
        <Facts
          facts={{
            Endpoint: (
              <Anchor component={Link} to={`/endpoints/${segment(message.endpointId)}`} inherit>
                {message.url ?? 'removed'}
              </Anchor>
            ),
            Application: (
              <Anchor component={Link} to={`/applications/${segment(message.applicationId)}`} inherit>
                {message.applicationName}
              </Anchor>
            ),
            Made: <When at={message.createdAt} isLong />,
            'Next attempt': <When at={message.nextAttemptAt} never="none" isLong />,
          }}
        />
      </div>
      <section aria-labelledby="attempts">
        <Title order={2} size="h4" id="attempts" mb="xs">
          Attempts
        </Title>
        <Attempts log={message.log} />
      </section>
      <section aria-labelledby="body">
        <Group gap="xs" mb="xs">
          <Title order={2} size="h4" id="body">
            Body
          </Title>
          <CopyButton value={message.body} label="Copy body as it is sent" />
        </Group>
        <Code block className={classes.text} tabIndex={0} role="group" aria-labelledby="body">
          {bodyText(message.body)}
        </Code>
      </section>
    </>
  );
}

function Failed({ message }: { message: Api.MessageDetail }) {
  const { what, todo } = failureExplanation(message);
  return (
    <Alert variant="default" icon={<IconAlertTriangle aria-hidden />} title="It was not delivered">
      <Text size="sm">{what}</Text>
      <Text size="sm">{todo}</Text>
    </Alert>
  );
}
