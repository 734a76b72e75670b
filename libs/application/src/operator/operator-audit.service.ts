import { Injectable } from '@nestjs/common';
import { AuditTrail, type RecordedAuditEntry } from '#domain/operator';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';

export interface ListAuditEntries extends PageRequest {
  applicationId?: string;
  actor?: string;
  action?: string;
}

@Injectable()
export class OperatorAuditService {
  constructor(
    private readonly trail: AuditTrail,
    private readonly tokens: SealedTokens,
  ) {}

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  async list({ limit, pageToken, ...filters }: ListAuditEntries): Promise<PageOf<RecordedAuditEntry>> {
    const { applicationId = null, actor = null, action = null } = filters;
    const binding = ['operator-audit', JSON.stringify([applicationId, actor, action])];
    return readPage(this.tokens, binding, { limit, pageToken }, (page) =>
      this.trail.list({ ...page, applicationId, actor, action }),
    );
  }
}
