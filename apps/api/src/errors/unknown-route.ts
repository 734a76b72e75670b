import type { Request, Response } from 'express';
import { routesOf } from '../http/routes.js';
import { failure, type Failure } from './envelope.js';

/** 405 requires `Allow` (RFC 9110 §15.5.6). */
export function unknownRoute(request: Request, response: Response): Failure {
  const methods = methodsAt(request);
  if (methods.length === 0 || methods.includes(request.method)) {
    return failure('NotFound', 'There is nothing at this address.');
  }
  response.setHeader('allow', methods.join(', '));
  return failure('MethodNotAllowed', 'This method is not available here.');
}

function methodsAt({ app, originalUrl }: Request): string[] {
  const path = originalUrl.split('?', 1)[0] ?? '';
  const here = routesOf(app).filter(({ matches }) => matches(path));
  const methods = new Set(
    here.flatMap(({ route }) => Object.keys(route.methods)).map((method) => method.toUpperCase()),
  );
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
