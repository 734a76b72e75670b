import { SetMetadata } from '@nestjs/common';

export const WITHOUT_SESSION = 'operator-without-session';

/** A route of operators that asks for no session. Where a change has to come from is checked all the same. */
export const WithoutSession = (): MethodDecorator & ClassDecorator => SetMetadata(WITHOUT_SESSION, true);
