import { Group, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { NavLink, useParams } from 'react-router';
import { segment, useApi, type Api } from '../../api/index.js';
import { ErrorNote, Page, StateBadge } from '../../ui/index.js';
import { AppId } from './app-id.js';
import classes from './application-frame.module.css';

const SECTIONS = {
  settings: 'Settings',
  keys: 'API keys',
  'sign-in': 'Sign-in providers',
  'redirect-urls': 'Redirect URLs',
};

export type Section = keyof typeof SECTIONS;

export function sectionPath(applicationId: string, section: Section): string {
  const path = `/applications/${segment(applicationId)}`;
  return section === 'settings' ? path : `${path}/${section}`;
}

/** Header and tabs around every section of an application. */
export function ApplicationFrame({ children }: { children: (application: Api.Application) => ReactNode }) {
  const { applicationId = '' } = useParams();
  const { data: application, error, refetch } = useApi<Api.Application>(`/applications/${segment(applicationId)}`);
  return (
    <Page
      title={application?.name ?? 'Application'}
      badge={application && <StateBadge state={application.environment} />}
      back={{ to: '/applications', label: 'Applications' }}
      description={
        <Group component="span" gap="xs">
          APP_ID <AppId id={applicationId} />
        </Group>
      }
    >
      <nav aria-label="Parts of the application" className={classes.sections}>
        {Object.entries(SECTIONS).map(([section, label]) => (
          <NavLink key={section} to={sectionPath(applicationId, section as Section)} end className={classes.section}>
            {label}
          </NavLink>
        ))}
      </nav>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {application ? children(application) : !error && <Skeleton height={320} />}
    </Page>
  );
}
