import { SetMetadata } from '@nestjs/common';
import type { ApiKeyScope } from '#domain';

export const REQUIRED_SCOPE = 'required-scope';

/** The key scope a route needs, where the method does not tell (GET: `read`, others: `write`). */
export const RequiredScope = (scope: ApiKeyScope): MethodDecorator => SetMetadata(REQUIRED_SCOPE, scope);
