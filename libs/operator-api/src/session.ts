/** What an operator may do: `viewer` reads, `admin` changes as well. */
export type OperatorRole = 'admin' | 'viewer';

/** `GET /session`, and the answer of everything that begins one. */
export interface SessionView {
  operator: OperatorView;
  /** Goes into the header `x-csrf-token` of every request that changes something. */
  csrfToken: string;
  /** When it ends for lack of requests; each request moves it on, until {@link endsAt}. */
  idleUntil: string;
  endsAt: string;
}

/** `GET /welcome`: what the page before a session has to know. No session needed. */
export interface WelcomeView {
  /** There is no operator yet: the log of the api says how to make the first one. */
  needsSetup: boolean;
  /** false: operators sign in by single sign-on alone. */
  hasPasswords: boolean;
  /** What the button of the single sign-on says; null: there is none. */
  singleSignOn: { label: string } | null;
}

/** `POST /session` */
export interface LoginInput {
  email: string;
  password: string;
}

/**
 * `POST /session/reauthenticate` → {@link SessionView}: what was refused with `ReauthenticationRequired` can be sent again,
 * with the new `csrfToken`. `POST /sign-on/reauthenticate` → the address at the identity provider where the same is done.
 */
export interface ReauthenticateInput {
  password: string;
}

/** `PUT /session/password` → {@link SessionView}. Every other session of the operator ends. */
export interface ChangePasswordInput {
  currentPassword: string;
  newPassword: string;
}

/**
 * `GET /sessions` lists one's own that are not over, the latest first; `DELETE /sessions/{sessionId}` ends another one,
 * `DELETE /sessions` all others.
 */
export interface OwnSessionView {
  /** Another one after each reauthentication. */
  id: string;
  /** What the browser called itself, in short: `Firefox on Linux`; null: nothing that is known. */
  device: string | null;
  /** From where it signed in: an IPv4 address, or the /64 of an IPv6 one; null: it is not known. */
  network: string | null;
  createdAt: string;
  /** To the minute. */
  lastUsedAt: string;
  /** The one that asks. */
  isCurrent: boolean;
}

/** `POST /invitations/open`. A token that is spent, withdrawn or over is 404. */
export interface OpenInvitationInput {
  token: string;
}

export interface OpenedInvitation {
  /** null: the setup link, where the first operator says it. */
  email: string | null;
  role: OperatorRole;
  expiresAt: string;
}

/** `POST /invitations/accept` → {@link SessionView} */
export interface AcceptInvitationInput {
  token: string;
  /** With the setup link; else as it was invited. */
  email?: string;
  name: string;
  /** 12 to 256 characters. */
  password: string;
}

export interface OperatorView {
  id: string;
  email: string;
  name: string;
  role: OperatorRole;
  /** false: signs in by single sign-on alone. */
  hasPassword: boolean;
  createdAt: string;
  lastLoginAt: string | null;
}

/** `PATCH /operators/{operatorId}` → {@link OperatorView}. The last admin stays one: 409. */
export interface ChangeOperatorInput {
  name?: string;
  role?: OperatorRole;
}

/** `POST /invitations` → {@link NewInvitationView} */
export interface InviteInput {
  email: string;
  role: OperatorRole;
}

/** `GET /invitations` lists those that are open; `DELETE /invitations/{invitationId}` withdraws one. */
export interface InvitationView {
  id: string;
  email: string;
  role: OperatorRole;
  /** Address of who invited; null: the command line, or nobody who is still an operator. */
  invitedBy: string | null;
  createdAt: string;
  expiresAt: string;
}

export interface NewInvitationView extends InvitationView {
  /** To be handed to the invited person. It is not shown again. */
  link: string;
}

/** `GET /audit`, newest first. */
export interface AuditEntryView {
  id: string;
  recordedAt: string;
  /** `operator:<email>`, `api-key:<id>`, `ops`, … */
  actor: string;
  /** `application.created`, `operator.login`, … */
  action: string;
  subject: string;
  applicationId: string | null;
  requestId: string | null;
}

export interface AuditQuery {
  applicationId?: string;
  actor?: string;
  action?: string;
}
