import { Injectable } from '@nestjs/common';
import { Outbox, type AccountEventType, type AccountStatusReason, type EndUserAccount } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { Clock } from '#domain/system';

@Injectable()
export class AccountEventPublisher {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Call inside the unit of work of the change. */
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
