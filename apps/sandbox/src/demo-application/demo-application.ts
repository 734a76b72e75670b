import { htmlAnswer } from '../http/html.js';
import type { HttpAnswer, HttpRequest } from '../http/message.js';
import { connectedPage, emptyPage, refusedPage } from './pages.js';

/**
 * Stands in for the application that uses the service: the place where browsers end up after a sign-in.
 * @param serviceUrl of the service, without `/api`, for the commands that it shows
 */
export function demoApplication(serviceUrl: string): (request: HttpRequest) => HttpAnswer {
  return ({ query }) => {
    const endUserAccountId = query.get('endUserAccountId');
    if (endUserAccountId !== null) {
      return htmlAnswer(200, connectedPage({ serviceUrl, endUserAccountId, state: query.get('state') }));
    }
    const error = query.get('error');
    if (error !== null) {
      return htmlAnswer(200, refusedPage({ error, errorDescription: query.get('error_description') }));
    }
    return htmlAnswer(200, emptyPage());
  };
}
