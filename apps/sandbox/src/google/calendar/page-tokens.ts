import type { Ids } from './ids.js';
import { invalid } from './errors.js';

export interface PageOf<T> {
  items: readonly T[];
  nextPageToken: string | null;
  /** Revision at the first page, so the next sync reports changes made meanwhile. */
  revision: number;
}

interface Walk {
  fingerprint: string;
  items: readonly unknown[];
  revision: number;
}

/** Valid tokens; the oldest one expires first. */
const MAX_TOKENS = 200;

/** Pages of lists. All pages show the state at the first one. */
export class PageTokens {
  private walks = new Map<string, { walk: Walk; position: number }>();

  constructor(private readonly ids: Ids) {}

  /**
   * @param fingerprint user, collection and every parameter but the page token, equal for every page
   * @param load called for the first page
   * @throws GoogleErrorResponse 400 `invalid` for a token of another list
   */
  page<T>(
    pageToken: string | undefined,
    fingerprint: string,
    size: number,
    load: () => { items: readonly T[]; revision: number },
  ): PageOf<T> {
    const { walk, position } =
      pageToken === undefined ? { walk: { fingerprint, ...load() }, position: 0 } : this.resume(pageToken, fingerprint);
    const end = position + size;
    const isLast = end >= walk.items.length;
    return {
      items: walk.items.slice(position, end) as T[],
      nextPageToken: isLast ? null : this.issue(walk, end),
      revision: walk.revision,
    };
  }

  expireAll(): void {
    this.walks = new Map();
  }

  private resume(pageToken: string, fingerprint: string): { walk: Walk; position: number } {
    const step = this.walks.get(pageToken);
    if (step === undefined || step.walk.fingerprint !== fingerprint) {
      throw invalid('Invalid page token value.', 'pageToken');
    }
    return step;
  }

  private issue(walk: Walk, position: number): string {
    const token = this.ids.token();
    this.walks.set(token, { walk, position });
    if (this.walks.size > MAX_TOKENS) this.walks.delete(this.walks.keys().next().value!);
    return token;
  }
}
