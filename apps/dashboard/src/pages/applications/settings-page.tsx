import { Button, ColorInput, Fieldset, Group, Stack, Switch, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { api, useChange, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { ErrorNote, notify, Panel } from '../../ui/index.js';
import { ApplicationFields } from './application-fields.js';
import { ApplicationFrame } from './application-frame.js';
import { DeleteApplication } from './delete-application.js';

type Settings = Required<Api.UpdateApplication>;

export default function SettingsPage() {
  return (
    <ApplicationFrame>
      {(application) => <ApplicationSettings key={application.id} {...{ application }} />}
    </ApplicationFrame>
  );
}

function ApplicationSettings({ application }: { application: Api.Application }) {
  const mayChange = useMayChange();
  return (
    <Stack gap="lg" maw={720}>
      <SettingsForm application={application} isReadOnly={!mayChange} />
      {mayChange && <DeleteApplication application={application} />}
    </Stack>
  );
}

function SettingsForm({ application, isReadOnly }: { application: Api.Application; isReadOnly: boolean }) {
  const [settings, setSettings] = useState<Settings>(settingsOf(application));
  const changes = differences(settingsOf(application), settings);
  const change = useChange(
    (body: Api.UpdateApplication) => api.patch<Api.Application>(`/applications/${application.id}`, body),
    {
      refreshes: ['/applications'],
      onDone: (changed) => {
        setSettings(settingsOf(changed));
        notify('Saved');
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(changes);
  };
  return (
    <Panel title="Settings">
      <form onSubmit={submit}>
        <Fieldset variant="unstyled" disabled={isReadOnly}>
          <Stack>
            <ApplicationFields value={settings} onChange={setSettings} error={change.error} />
            <ErrorNote error={change.error} />
            <Switch
              label="Webhooks say whose calendar changed"
              description="Messages carry the account’s address and externalId: receivers need not look them up, and have to keep them safe."
              checked={settings.enrichedWebhooks}
              onChange={(event) => setSettings({ ...settings, enrichedWebhooks: event.currentTarget.checked })}
            />
            <Switch
              label="Watch calendars that do not push"
              description="Calendars whose provider does not report changes can be subscribed to as well: they are asked again and again."
              checked={settings.polledWebhooks}
              onChange={(event) => setSettings({ ...settings, polledWebhooks: event.currentTarget.checked })}
            />
            <Switch
              label="Require signed links"
              description="An externalId is taken from addresses alone that the application made with its key."
              checked={settings.signedLinks}
              onChange={(event) => setSettings({ ...settings, signedLinks: event.currentTarget.checked })}
            />
            <ColorInput
              label="Color of the connect page"
              description="The page where users connect accounts themselves shows the name of the application, in this color. Empty: the color of the service."
              placeholder="#0b57d0"
              format="hex"
              withEyeDropper={false}
              maw={260}
              value={settings.accentColor ?? ''}
              onChange={(color) => setSettings({ ...settings, accentColor: color === '' ? null : color })}
            />
            {isReadOnly ? (
              <Text size="sm" c="dimmed">
                Your role lets you look at these. An admin changes them.
              </Text>
            ) : (
              <Group>
                <Button type="submit" loading={change.isPending} disabled={Object.keys(changes).length === 0}>
                  Save
                </Button>
              </Group>
            )}
          </Stack>
        </Fieldset>
      </form>
    </Panel>
  );
}

function settingsOf(application: Api.Application): Settings {
  const { name, environment, rateLimitRps, enrichedWebhooks, polledWebhooks, signedLinks, accentColor } = application;
  return { name, environment, rateLimitRps, enrichedWebhooks, polledWebhooks, signedLinks, accentColor };
}

/** Unchanged fields must not appear in the audit log. */
function differences(before: Settings, after: Settings): Api.UpdateApplication {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name as keyof Settings] !== value));
}
