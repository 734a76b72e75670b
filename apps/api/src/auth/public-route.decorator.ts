import { SetMetadata } from '@nestjs/common';
import { PUBLIC_ROUTE } from '#platform';

/** A route that needs no application key. */
export const PublicRoute = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);
