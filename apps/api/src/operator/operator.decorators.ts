import { SetMetadata } from '@nestjs/common';
import type { OperatorRole } from '#domain';

export const BY_PASSWORD = 'operator-by-password';
export const NEEDED_ROLE = 'operator-needed-role';
export const NEEDS_RECENT_SIGN_IN = 'operator-needs-recent-sign-in';
export const WITHOUT_SESSION = 'operator-without-session';

/** A route that takes or sets a password: refused where operators sign in by single sign-on alone. */
export const ByPassword = (): MethodDecorator => SetMetadata(BY_PASSWORD, true);

/** The role a route needs, where the method does not tell (GET: `viewer`, others: `admin`). */
export const NeedsRole = (role: OperatorRole): MethodDecorator => SetMetadata(NEEDED_ROLE, role);

/** A route that gives others access or ends sessions: its operator has proven within five minutes who they are. */
export const NeedsRecentSignIn = (): MethodDecorator => SetMetadata(NEEDS_RECENT_SIGN_IN, true);

/** A route of operators that asks for no session. Where a change has to come from is checked all the same. */
export const WithoutSession = (): MethodDecorator & ClassDecorator => SetMetadata(WITHOUT_SESSION, true);
