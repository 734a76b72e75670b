import { bindProvider } from '#providers/kit/adapter';
import { AddressField, ConnectBody, defineProvider, OptionalTextField } from '#providers/kit/definition';
import { integer } from '#platform/settings';
import { icsAdapter } from './adapter.js';

/** A calendar feed. */
export class ConnectIcs extends ConnectBody {
  @AddressField({
    description: 'Address of the feed: https or webcal, public. It is a secret, and never given out again.',
    example: 'webcal://calendar.example.com/feeds/team.ics',
  })
  override url!: string;

  @OptionalTextField(255, {
    description: 'What the calendar is called; null or absent: as the feed calls itself.',
    example: 'Team',
  })
  override name?: string | null;
}

export const ICS = defineProvider({
  type: 'ICS',
  slug: 'ics',
  label: 'Calendar feed',
  icon: 'M4 3a17 17 0 0 1 17 17h-3.4A13.6 13.6 0 0 0 4 6.4zm0 6.8A10.2 10.2 0 0 1 14.2 20h-3.4A6.8 6.8 0 0 0 4 13.2zM6.3 15.4a2.3 2.3 0 1 1 0 4.6 2.3 2.3 0 0 1 0-4.6z',
  authentication: 'url',
  settings: {
    minRefreshSeconds: integer('ICS_MIN_REFRESH_SECONDS', {
      description:
        'Shortest time between two requests for one calendar feed, whatever it says of itself, seconds. At most an hour passes.',
      fallback: 300,
      min: 0,
      max: 3_600,
    }),
  },
  trustedOrigins: () => [],
  connect: {
    body: ConnectIcs,
    summary: 'Connect a calendar feed (iCalendar under an address). Its calendar can be read alone.',
    namesServer: true,
    form: {
      texts: {
        en: {
          labels: { url: 'Address of the calendar feed', name: 'Name of the calendar (optional)' },
          steps: ['The address begins with https or webcal. Your calendar shows it where it is shared or published.'],
        },
        de: {
          labels: { url: 'Adresse des Kalender-Feeds', name: 'Name des Kalenders (freiwillig)' },
          steps: [
            'Die Adresse beginnt mit https oder webcal. Ihr Kalender zeigt sie dort, wo Sie ihn freigeben oder veröffentlichen.',
          ],
        },
      },
    },
  },
  create: (deps, { minRefreshSeconds }) =>
    bindProvider(
      {
        type: 'ICS',
        authorization: null,
        capabilities: {
          authentication: 'url',
          needsServerUrl: false,
          defaultEventPageSize: 400,
          syncExtent: 'calendar',
          rejectedTokenEndsGrant: false,
        },
        limits: { budget: deps.budget, requestsPerMinute: 12, perRequest: true },
      },
      icsAdapter({ ...deps, minRefreshMs: minRefreshSeconds * 1_000 }),
    ),
});
