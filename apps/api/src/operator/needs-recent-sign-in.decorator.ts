import { SetMetadata } from '@nestjs/common';

export const NEEDS_RECENT_SIGN_IN = 'operator-needs-recent-sign-in';

/** A route that gives others access or ends sessions: its operator has proven within five minutes who they are. */
export const NeedsRecentSignIn = (): MethodDecorator => SetMetadata(NEEDS_RECENT_SIGN_IN, true);
