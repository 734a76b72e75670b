import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AuditLog,
  OPERATOR_TOKEN_SCOPES,
  OperatorTokenRepository,
  type Operator,
  type OperatorToken,
  type OperatorTokenArea,
  type OperatorTokenScope,
} from '#domain/operator';
import { Clock, DomainError, IdGenerator, invalid } from '#domain/system';
import { createKeyText, keyPrefixOf, parseExpiry, parseKeyText } from '../applications/key-text.js';
import { recordAction } from '../system/actor.js';

export interface CreateOperatorToken {
  /** 1 to 200 characters. */
  name: string;
  scopes: string[];
  /** 7, 30, 90, 180 or 365 (days), or a future ISO 8601 date or instant within 366 days. */
  expires: string;
}

export interface OperatorTokenView extends OperatorToken {
  /** How its text begins. */
  prefix: string;
}

const MAX_LIFETIME_MS = 366 * 86_400_000;

/** Credentials of programs for the operator API. */
@Injectable()
export class OperatorTokens {
  constructor(
    private readonly tokens: OperatorTokenRepository,
    private readonly audit: AuditLog,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {}

  /**
   * Only this result contains the token's text.
   * @param creator null for a token of `ops`, which no removed operator ends
   * @throws DomainError ValidationFailed
   */
  async create(
    { name, scopes, expires }: CreateOperatorToken,
    creator: Operator | null,
  ): Promise<OperatorTokenView & { token: string }> {
    if (name.trim() === '' || name.length > 200) throw invalid('name', 'must have 1 to 200 characters');
    const id = this.ids.next();
    const { text, secretHash } = createKeyText('uco', id);
    const nowMs = this.clock.nowMs();
    const created = await this.tokens.create({
      id,
      name: name.trim(),
      scopes: parseScopes(scopes),
      secretHash,
      createdAt: new Date(nowMs),
      expiresAt: this.parseExpiry(expires, nowMs),
      createdBy: creator?.id ?? null,
    });
    await recordAction(this.audit, 'operator-token.created', `operator-token:${id}`);
    return { ...toView(created), token: text };
  }

  /** Newest first, expired ones too. */
  async list(): Promise<OperatorTokenView[]> {
    return (await this.tokens.list()).map(toView);
  }

  /** Ends the token at once. @throws DomainError NotFound */
  async revoke(tokenId: string): Promise<void> {
    if (!(await this.tokens.remove(tokenId))) {
      throw new DomainError('NotFound', 'There is no operator token with this id.');
    }
    await recordAction(this.audit, 'operator-token.revoked', `operator-token:${tokenId}`);
  }

  /** Returns null for an unknown or expired token, and for one whose creator is no admin any more. */
  async authenticate(text: string): Promise<OperatorToken | null> {
    const { id, secretHash } = parseKeyText('uco', text);
    const token = id === '' ? null : await this.tokens.find(id);
    if (token === null || !timingSafeEqual(token.secretHash, secretHash)) return null;
    const now = new Date(this.clock.nowMs());
    if (token.expiresAt <= now || token.creatorRole === 'viewer') return null;
    await this.tokens.touch(id, now);
    return token;
  }

  private parseExpiry(expires: string, nowMs: number): Date {
    const expiresAt = parseExpiry(expires, nowMs);
    if (expiresAt === null || expiresAt.getTime() > nowMs + MAX_LIFETIME_MS) {
      throw invalid('expires', 'must be within 366 days');
    }
    return expiresAt;
  }
}

/** @throws DomainError Forbidden, which names the missing scope */
export function assertTokenScope({ scopes }: OperatorToken, area: OperatorTokenArea, isRead: boolean): void {
  const isEnough = scopes.includes(`${area}:write`) || (isRead && scopes.includes(`${area}:read`));
  if (isEnough) return;
  throw new DomainError('Forbidden', `This needs an operator token with ${area}:${isRead ? 'read' : 'write'}.`);
}

function parseScopes(scopes: string[]): OperatorTokenScope[] {
  const known = OPERATOR_TOKEN_SCOPES.filter((scope) => scopes.includes(scope));
  if (known.length === 0 || known.length !== new Set(scopes).size) {
    throw invalid('scopes', `must be a choice of ${OPERATOR_TOKEN_SCOPES.join(', ')}`);
  }
  return known;
}

function toView({ id, name, scopes, createdBy, createdAt, expiresAt, lastUsedAt }: OperatorToken): OperatorTokenView {
  return { id, name, prefix: keyPrefixOf('uco', id), scopes, createdBy, createdAt, expiresAt, lastUsedAt };
}
