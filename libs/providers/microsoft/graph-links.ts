import { malformedResponseError, serviceRoot } from '#providers/kit/calls';
import { tokenForeign } from '#providers/kit/sync';
import type { GraphRequest } from './graph-transport.js';

/** Graph's delta links have several thousand characters. */
const MAX_LINK_LENGTH = 16_384;

/** Stores Graph's links without the root, so that a forged one leads nowhere else. @param root of Graph v1.0 */
export class GraphLinks {
  private readonly root: URL;

  constructor(root: string) {
    this.root = new URL(root);
  }

  /** @throws DomainError ProviderUnavailable for a link outside of the root */
  stateOf(link: string): string {
    const state = this.below(link);
    if (state === null) throw malformedResponseError('Microsoft');
    return state;
  }

  /** @throws DomainError PageTokenInvalid */
  target(state: string): Pick<GraphRequest, 'path' | 'query'> {
    if (!state.startsWith('/') || this.below(this.root.origin + this.root.pathname + state) !== state) {
      throw tokenForeign();
    }
    const at = state.indexOf('?');
    return at < 0 ? { path: state, query: '' } : { path: state.slice(0, at), query: state.slice(at + 1) };
  }

  private below(link: string): string | null {
    if (link.length > MAX_LINK_LENGTH || !URL.canParse(link)) return null;
    const { origin, username, password, pathname, search, hash } = new URL(link);
    const below = `${this.root.pathname}/`;
    const isOurs = origin === this.root.origin && username === '' && password === '' && hash === '';
    // The official client takes the text after two slashes for a host.
    const isPath = pathname.startsWith(below) && !pathname.includes('//');
    return isOurs && isPath ? pathname.slice(below.length - 1) + search : null;
  }
}

const VERSION = '/v1.0';

/** Returns the root of Graph v1.0. @param graphUrl may end with slashes, or with the version */
export function graphRoot(graphUrl: string): string {
  return serviceRoot(graphUrl, VERSION) + VERSION;
}
