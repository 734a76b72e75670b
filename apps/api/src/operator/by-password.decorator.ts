import { SetMetadata } from '@nestjs/common';

export const BY_PASSWORD = 'operator-by-password';

/** A route that takes or sets a password: refused where operators sign in by single sign-on alone. */
export const ByPassword = (): MethodDecorator => SetMetadata(BY_PASSWORD, true);
