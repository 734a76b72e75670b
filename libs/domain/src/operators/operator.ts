export const OPERATOR_ROLES = ['admin', 'viewer'] as const;

/** What an operator may do: `viewer` reads, `admin` changes as well. */
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** A person who runs the installation. */
export interface Operator {
  id: string;
  /** In lower case. */
  email: string;
  name: string;
  role: OperatorRole;
  /** false: signs in by single sign-on alone. */
  hasPassword: boolean;
  createdAt: Date;
  lastLoginAt: Date | null;
}

/** How a new operator will be known: by a password, or by what the provider of the single sign-on calls them. */
export interface NewOperator {
  /** Of who comes by the setup link; an invitation has its own. */
  email?: string;
  name: string;
  /** PHC string. */
  passwordHash: string | null;
  identity: { issuer: string; subject: string } | null;
}

/** Why nothing was done to an operator. */
export type OperatorRefusal = 'unknown' | 'last-admin';

export abstract class OperatorRepository {
  /** In the order of their addresses. */
  abstract list(): Promise<Operator[]>;
  abstract find(operatorId: string): Promise<Operator | null>;
  /** @param email in lower case @returns with the PHC string of the password; null: there is none */
  abstract findByEmail(email: string): Promise<{ operator: Operator; passwordHash: string | null } | null>;
  abstract isEmpty(): Promise<boolean>;
  /** Ends every session of the operator. False, and nothing done, when the hash is not `from` any more. */
  abstract changePassword(operatorId: string, from: string, to: string): Promise<boolean>;
  /** The same password with other parameters; no-op when the hash is not `from` any more. */
  abstract rehashPassword(operatorId: string, from: string, to: string): Promise<void>;
  abstract loggedIn(operatorId: string, at: Date): Promise<void>;
  /** Another role ends every session of the operator. */
  abstract change(
    operatorId: string,
    change: { name?: string; role?: OperatorRole },
  ): Promise<Operator | OperatorRefusal>;
  /** With every session. @returns whom it was */
  abstract remove(operatorId: string): Promise<Operator | OperatorRefusal>;
}

/** A browser that an operator is logged in with. */
export interface OperatorSession {
  /** SHA-256 of the secret in the cookie. */
  secretHash: Buffer;
  operator: Operator;
  /** When the operator proved last who they are. */
  authenticatedAt: Date;
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date;
  /** What the browser called itself, in short: `Firefox on Linux`; null: nothing that is known. */
  device: string | null;
  /** From where the operator signed in: an IPv4 address, or the /64 of an IPv6 one; null: it is not known. */
  network: string | null;
  idleUntil: Date;
  endsAt: Date;
}

/** A session as it begins. */
export type NewOperatorSession = Omit<OperatorSession, 'operator' | 'lastUsedAt'> & { operatorId: string };

export abstract class OperatorSessionRepository {
  abstract create(session: NewOperatorSession): Promise<void>;
  /** Also one that is over, as long as it is there. */
  abstract find(secretHash: Buffer): Promise<OperatorSession | null>;
  /** Those of one operator that are not over, the latest first. */
  abstract list(operatorId: string): Promise<OperatorSession[]>;
  /** An operator has used it. No-op when that was written by another request later than `lastUsedAt`. */
  abstract touch(secretHash: Buffer, used: { idleUntil: Date; lastUsedAt: Date }): Promise<void>;
  /** The same session under another secret, once who it is was proven again. False when it has ended. */
  abstract renew(secretHash: Buffer, renewed: { secretHash: Buffer; authenticatedAt: Date }): Promise<boolean>;
  /** False when it had ended. */
  abstract end(secretHash: Buffer): Promise<boolean>;
  /** Ends all of the operator but this one. */
  abstract endOthers(operatorId: string, secretHash: Buffer): Promise<void>;
}

/** A link with which somebody becomes an operator, once. */
export interface OperatorInvitation {
  id: string;
  /** In lower case; null: the setup link. */
  email: string | null;
  role: OperatorRole;
  /** Address of who invited; null: nobody who is still an operator. */
  invitedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface NewOperatorInvitation {
  /** SHA-256 of the token in the link. */
  tokenHash: Buffer;
  email: string;
  role: OperatorRole;
  /** Id of an operator. */
  invitedBy: string | null;
  expiresAt: Date;
}

/** What tells an invitation: the token of its link, or the address that was proven otherwise. */
export type InvitationProof = { tokenHash: Buffer } | { email: string };

export abstract class OperatorInvitationRepository {
  /** Takes the place of an open one for the same address. */
  abstract create(invitation: NewOperatorInvitation): Promise<OperatorInvitation>;
  /** Takes the place of the setup link before it. False, and nothing done, when there is an operator. */
  abstract replaceSetupLink(tokenHash: Buffer, expiresAt: Date): Promise<boolean>;
  /** No-op when there is none. */
  abstract withdrawSetupLink(): Promise<void>;
  /** Those that are open, newest first, without the setup link. */
  abstract list(): Promise<OperatorInvitation[]>;
  /** null when it is spent, withdrawn or over. */
  abstract find(proof: InvitationProof): Promise<OperatorInvitation | null>;
  /** @returns null when there is no such invitation */
  abstract withdraw(invitationId: string): Promise<OperatorInvitation | null>;
  /**
   * Spends the invitation and makes its operator, both or neither. The setup link goes with the first operator.
   * @returns null when it is spent, withdrawn or over
   * @throws DomainError Conflict when there is an operator with this address
   */
  abstract accept(proof: InvitationProof, operator: NewOperator): Promise<Operator | null>;
}

/** Whose failed logins are counted together, and for how long they keep the next one waiting. */
export interface LoginSubject {
  /** SHA-256 of what it is. */
  hash: Buffer;
  /** It doubles with each further failure. */
  firstWaitSeconds: number;
  longestWaitSeconds: number;
}

/** How often logins went wrong, counted in the database: for all processes together. */
export abstract class OperatorLoginFailures {
  /**
   * Counts a login as failed, for every subject, before it is tried: many at once are no more tries than one after the
   * other. A subject that has to wait is not counted.
   * @returns until when nobody is to try; null: go on
   */
  abstract claim(subjects: readonly LoginSubject[]): Promise<Date | null>;
  /**
   * Counts a login as failed for a subject that nobody waits for, before it is tried.
   * @param subject SHA-256 of what it is
   * @returns how many that makes
   */
  abstract count(subject: Buffer): Promise<number>;
  /** It was right: what is counted for the subjects is forgotten. */
  abstract forget(subjects: readonly Buffer[]): Promise<void>;
  /** It was right: takes back what {@link claim} counted for the subject, and no more. */
  abstract takeBack(subject: Buffer): Promise<void>;
}
