import type { Service } from '../support/service.js';
import { accountsConform } from './accounts.js';
import { calendarsConform } from './calendars.js';
import { eventsConform } from './events.js';
import { freeBusyConforms } from './free-busy.js';
import { invitationsConform } from './invitations.js';
import { listsConform } from './lists.js';
import { namedFieldsConform } from './named-fields.js';
import { recurrenceConforms } from './recurrence.js';
import { sentBackConforms } from './sent-back.js';
import { seriesEditsConform } from './series-edits.js';
import { openFixture, type ConformanceSubject, type Fixture } from './subject.js';
import { syncConforms } from './sync.js';

/**
 * Everything the interface promises, for one provider. `start` gives the service and the subject, once.
 * @param more sections that are not about all providers
 */
export function conformance(
  name: string,
  start: () => Promise<{ service: Service; subject: ConformanceSubject; stop(): Promise<void> }>,
  more: ((fixture: () => Fixture) => void)[] = [],
): void {
  describe(`${name} conforms`, () => {
    let running: Awaited<ReturnType<typeof start>>;
    let fixture: Fixture;
    const getFixture = () => fixture;

    beforeAll(async () => {
      running = await start();
      fixture = await openFixture(running.subject, running.service);
    });

    afterAll(async () => {
      await running?.stop();
    });

    accountsConform(getFixture);
    calendarsConform(getFixture);
    eventsConform(getFixture);
    recurrenceConforms(getFixture);
    seriesEditsConform(getFixture);
    namedFieldsConform(getFixture);
    sentBackConforms(getFixture);
    listsConform(getFixture);
    syncConforms(getFixture);
    invitationsConform(getFixture);
    freeBusyConforms(getFixture);
    for (const section of more) section(getFixture);
  });
}
