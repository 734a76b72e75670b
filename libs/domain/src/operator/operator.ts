export const OPERATOR_ROLES = ['admin', 'viewer'] as const;

/** `viewer` reads, `admin` also changes. */
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export interface Operator {
  id: string;
  /** Lower-cased. */
  email: string;
  name: string;
  role: OperatorRole;
  /** false when the operator signs in by single sign-on only. */
  hasPassword: boolean;
  createdAt: Date;
  lastSignInAt: Date | null;
}

export interface NewOperator {
  /** For the setup link. An invitation has its own email. */
  email?: string;
  name: string;
  passwordHash: string | null;
  identity: { issuer: string; subject: string } | null;
}

export type OperatorConflict = 'unknown' | 'last-admin';

export abstract class OperatorRepository {
  abstract list(): Promise<Operator[]>;
  abstract find(operatorId: string): Promise<Operator | null>;
  /** @param email lower-cased @returns `passwordHash` as a PHC string; null without a password */
  abstract findByEmail(email: string): Promise<{ operator: Operator; passwordHash: string | null } | null>;
  abstract isEmpty(): Promise<boolean>;
  /** Ends every session of the operator. Returns false, and changes nothing, when the stored hash is not `from`. */
  abstract updatePassword(operatorId: string, from: string, to: string): Promise<boolean>;
  /** Stores the same password hashed with other parameters. No-op when the stored hash is not `from`. */
  abstract rehashPassword(operatorId: string, from: string, to: string): Promise<void>;
  abstract recordSignIn(operatorId: string, at: Date): Promise<void>;
  /** A new role ends every session of the operator. */
  abstract change(
    operatorId: string,
    change: { name?: string; role?: OperatorRole },
  ): Promise<Operator | OperatorConflict>;
  /** Deletes the operator with every session. @returns the deleted operator */
  abstract remove(operatorId: string): Promise<Operator | OperatorConflict>;
}

export interface OperatorSession {
  /** SHA-256 of the secret in the cookie. */
  secretHash: Buffer;
  operator: Operator;
  authenticatedAt: Date;
  createdAt: Date;
  /** Precise to the minute. */
  lastUsedAt: Date;
  /** `Firefox on Linux`. null for an unknown browser. */
  device: string | null;
  /** Network at sign-in: an IPv4 address, or the /64 of an IPv6 one. null when unknown. */
  network: string | null;
  idleUntil: Date;
  endsAt: Date;
}

export type NewOperatorSession = Omit<OperatorSession, 'operator' | 'lastUsedAt'> & { operatorId: string };

export abstract class OperatorSessionRepository {
  abstract create(session: NewOperatorSession): Promise<void>;
  /** Also returns an ended session until its row is deleted. */
  abstract find(secretHash: Buffer): Promise<OperatorSession | null>;
  abstract list(operatorId: string): Promise<OperatorSession[]>;
  /** Extends the session. No-op when another request already wrote a later use. */
  abstract touch(secretHash: Buffer, used: { idleUntil: Date; lastUsedAt: Date }): Promise<void>;
  /** Gives the session a new secret after the operator authenticated again. Returns false when it has ended. */
  abstract renew(secretHash: Buffer, renewed: { secretHash: Buffer; authenticatedAt: Date }): Promise<boolean>;
  abstract end(secretHash: Buffer): Promise<boolean>;
  abstract endOthers(operatorId: string, secretHash: Buffer): Promise<void>;
}

export interface OperatorInvitation {
  id: string;
  /** Lower-cased. null for the setup link. */
  email: string | null;
  role: OperatorRole;
  /** Email of the inviting operator. null when that operator no longer exists. */
  invitedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface NewOperatorInvitation {
  /** SHA-256 of the token in the link. */
  tokenHash: Buffer;
  email: string;
  role: OperatorRole;
  invitedBy: string | null;
  expiresAt: Date;
}

/** The token of the link, or an email address that was verified otherwise. */
export type InvitationProof = { tokenHash: Buffer } | { email: string };

export abstract class OperatorInvitationRepository {
  abstract create(invitation: NewOperatorInvitation): Promise<OperatorInvitation>;
  /** Replaces the previous setup link. Returns false, and changes nothing, when an operator exists. */
  abstract replaceSetupLink(tokenHash: Buffer, expiresAt: Date): Promise<boolean>;
  abstract withdrawSetupLink(): Promise<void>;
  /** Open invitations, newest first, without the setup link. */
  abstract list(): Promise<OperatorInvitation[]>;
  /** Returns null when the invitation is used, withdrawn or expired. */
  abstract find(proof: InvitationProof): Promise<OperatorInvitation | null>;
  abstract withdraw(invitationId: string): Promise<OperatorInvitation | null>;
  /** Creates the operator; null for an invalid invitation. @throws DomainError Conflict when the address is taken */
  abstract accept(proof: InvitationProof, operator: NewOperator): Promise<Operator | null>;
}

export interface SignInSubject {
  hash: Buffer;
  firstWaitSeconds: number;
  maxWaitSeconds: number;
}

/** Failed sign-ins, counted in the database for all processes. */
export abstract class OperatorSignInFailures {
  /** Counts a failure before the attempt, so that concurrent ones count. @returns end of the wait, or null */
  abstract claim(subjects: readonly SignInSubject[]): Promise<Date | null>;
  /** Counts a failure for a subject without a wait. @returns number of failures, this one included */
  abstract count(subject: Buffer): Promise<number>;
  abstract clear(subjects: readonly Buffer[]): Promise<void>;
  /** Undoes the one count of {@link claim} after a success. */
  abstract undo(subject: Buffer): Promise<void>;
}
