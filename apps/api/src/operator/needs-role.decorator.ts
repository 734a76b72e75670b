import { SetMetadata } from '@nestjs/common';
import type { OperatorRole } from '#domain';

export const NEEDED_ROLE = 'operator-needed-role';

/** The role a route needs, where the method does not tell (GET: `viewer`, others: `admin`). */
export const NeedsRole = (role: OperatorRole): MethodDecorator => SetMetadata(NEEDED_ROLE, role);
