import type { AccountEventType, AccountStatusReason, EndUserAccount, OutboxMessage } from '#domain';

/** What the application is told about its account; `reason` goes with a change of the status only. */
export function accountEvent(
  eventType: AccountEventType,
  account: Pick<EndUserAccount, 'id' | 'externalId' | 'providerType' | 'status'>,
  at: Date,
  reason?: AccountStatusReason,
): OutboxMessage {
  return {
    eventType,
    payload: {
      eventType,
      timestamp: at.toISOString(),
      endUserAccountId: account.id,
      externalId: account.externalId ?? '',
      providerType: account.providerType,
      status: account.status,
      ...(reason === undefined ? {} : { reason }),
    },
  };
}
