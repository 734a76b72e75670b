import {
  IconApps,
  IconBellRinging,
  IconCalendarUser,
  IconClipboardList,
  IconGauge,
  IconHistory,
  IconLayoutDashboard,
  IconMailForward,
  IconRefreshAlert,
  IconUsersGroup,
  type Icon,
} from '@tabler/icons-react';

export interface Destination {
  to: string;
  label: string;
  icon: Icon;
}

export interface DestinationGroup {
  label: string;
  destinations: Destination[];
}

export const NAVIGATION: DestinationGroup[] = [
  {
    label: 'Service',
    destinations: [
      { to: '/', label: 'Overview', icon: IconLayoutDashboard },
      { to: '/applications', label: 'Applications', icon: IconApps },
      { to: '/accounts', label: 'Accounts', icon: IconCalendarUser },
      { to: '/usage', label: 'Usage', icon: IconGauge },
    ],
  },
  {
    label: 'Webhooks',
    destinations: [
      { to: '/endpoints', label: 'Endpoints', icon: IconBellRinging },
      { to: '/messages', label: 'Messages', icon: IconMailForward },
    ],
  },
  {
    label: 'Logs',
    destinations: [
      { to: '/requests', label: 'Request log', icon: IconClipboardList },
      { to: '/failed-jobs', label: 'Failed jobs', icon: IconRefreshAlert },
      { to: '/audit', label: 'Audit log', icon: IconHistory },
    ],
  },
  { label: 'People', destinations: [{ to: '/operators', label: 'Operators', icon: IconUsersGroup }] },
];
