import type { OperatorRole } from './operator.js';

/** Parts of the operator API that a token can be for. Operators themselves, their sessions and tokens are in none. */
export const OPERATOR_TOKEN_AREAS = ['applications', 'keys', 'accounts', 'deliveries', 'installation'] as const;

export type OperatorTokenArea = (typeof OPERATOR_TOKEN_AREAS)[number];

/** `write` includes `read` of the same area. */
export type OperatorTokenScope = `${OperatorTokenArea}:${'read' | 'write'}`;

export const OPERATOR_TOKEN_SCOPES = OPERATOR_TOKEN_AREAS.flatMap((area): OperatorTokenScope[] => [
  `${area}:read`,
  `${area}:write`,
]);

export interface OperatorToken {
  id: string;
  name: string;
  scopes: OperatorTokenScope[];
  /** Email of the operator who created it and without whom it ends. null for a token of `ops`. */
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
  /** Precise to the minute. null before the first use. */
  lastUsedAt: Date | null;
}

export interface NewOperatorToken extends Pick<OperatorToken, 'id' | 'name' | 'scopes' | 'createdAt' | 'expiresAt'> {
  secretHash: Buffer;
  /** Operator id. null for a token of `ops`. */
  createdBy: string | null;
}

export interface OperatorTokenForVerification extends OperatorToken {
  secretHash: Buffer;
  /** Present role of the operator who created it. null for a token of `ops`. */
  creatorRole: OperatorRole | null;
}

export abstract class OperatorTokenRepository {
  abstract create(token: NewOperatorToken): Promise<OperatorToken>;
  /** Newest first, expired ones too. */
  abstract list(): Promise<OperatorToken[]>;
  abstract find(tokenId: string): Promise<OperatorTokenForVerification | null>;
  /** Returns false when there is no such token. */
  abstract remove(tokenId: string): Promise<boolean>;
  /** Writes at most once a minute per token. */
  abstract touch(tokenId: string, usedAt: Date): Promise<void>;
}
