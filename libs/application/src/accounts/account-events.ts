import { Injectable } from '@nestjs/common';
import {
  Clock,
  Outbox,
  type AccountEventType,
  type AccountStatusReason,
  type ApplicationRef,
  type EndUserAccount,
} from '#domain';

/** Tells applications what happens to their accounts. */
@Injectable()
export class AccountEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Inside the unit of work that makes it true. `reason` goes with a change of the status. */
  async append(
    application: ApplicationRef,
    eventType: AccountEventType,
    account: EndUserAccount,
    reason?: AccountStatusReason,
  ): Promise<void> {
    await this.outbox.append(application, {
      eventType,
      payload: {
        eventType,
        timestamp: new Date(this.clock.nowMs()).toISOString(),
        endUserAccountId: account.id,
        externalId: account.externalId ?? '',
        providerType: account.providerType,
        status: account.status,
        ...(reason === undefined ? {} : { reason }),
      },
    });
  }
}
