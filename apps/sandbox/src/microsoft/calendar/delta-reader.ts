import type { Call, GraphResponse } from '../contract.js';
import type { CalendarAccess } from './calendar-access.js';
import type { DeltaGrant, DeltaTokens } from './delta-tokens.js';
import { windowOf } from './event-reader.js';
import { eventJson, stubJson, typeOf, wordingOf, type Wording } from './event-view.js';
import { itemId, mailboxKeyOf } from './ids.js';
import type { CalendarView, EventRecord, Item } from './model.js';
import type { Row } from './odata-options.js';
import { invalidQuery } from './errors.js';
import { itemOf, itemsIn } from './series.js';
import type { Store } from './store.js';

const USUAL_PAGE = 10;
const MAX_PAGE_SIZE = 1_000;
const TOKENS = new Set(['$skiptoken', '$deltatoken']);

/**
 * Changes of a calendar view (https://learn.microsoft.com/graph/api/event-delta). Reports too much rather than too
 * little: a change outside the window as removed, even if never inside, and a series with all of its instances. Reports
 * a single deleted instance only as a change of its series.
 */
export class DeltaReader {
  constructor(
    private readonly store: Store,
    private readonly access: CalendarAccess,
    private readonly tokens: DeltaTokens,
  ) {}

  read(call: Call): GraphResponse {
    const { query, user } = call;
    for (const name of Object.keys(query)) {
      if (!name.startsWith('$') || TOKENS.has(name)) continue;
      throw invalidQuery(`The '${name}' parameter cannot be used with change tracking on CalendarView.`);
    }
    const view = this.access.named(call);
    const holder = { mailboxKey: mailboxKeyOf(user), viewKey: view.key };
    if (query['$skiptoken'] !== undefined) {
      const { grant, rows, position } = this.tokens.resume(query['$skiptoken'], holder);
      return this.page(call, grant, rows, position);
    }
    const wording = wordingOf(call.prefer);
    const since = query['$deltatoken'] === undefined ? null : this.tokens.redeem(query['$deltatoken'], holder);
    const window = since ?? windowOf(query);
    const { startMs, endMs } = window;
    const grant = { ...holder, startMs, endMs, revision: this.store.revision, isExpired: false };
    const rows = this.store
      .eventsOf(view.calendar.key)
      .filter(({ revision }) => since === null || revision > since.revision)
      .flatMap((record) => this.rowsOf(record, view, grant, since === null, wording));
    const removed =
      since === null
        ? []
        : this.store.removedFrom(view.calendar.key).filter(({ revision }) => revision > since.revision);
    return this.page(call, grant, [...rows, ...removed.map(({ key }) => removedJson(key, wording))], 0);
  }

  private rowsOf(
    record: EventRecord,
    view: CalendarView,
    grant: DeltaGrant,
    isFirst: boolean,
    wording: Wording,
  ): Row[] {
    const items = itemsIn(record, grant);
    if (items.length === 0) return isFirst ? [] : [removedJson(record.key, wording)];
    const whole = (item: Item): Row => ({ '@odata.type': '#microsoft.graph.event', ...eventJson(item, view, wording) });
    const master = record.recurrence === null ? [] : [whole(itemOf(record, null))];
    return [...master, ...items.map((item) => (typeOf(item) === 'occurrence' ? stubJson(item, wording) : whole(item)))];
  }

  private page({ prefer, url }: Call, grant: DeltaGrant, rows: readonly Row[], position: number): GraphResponse {
    const asked = Number(prefer['odata.maxpagesize'] ?? USUAL_PAGE);
    const size = Number.isInteger(asked) && asked > 0 ? Math.min(asked, MAX_PAGE_SIZE) : USUAL_PAGE;
    const next = position + size;
    const link =
      next < rows.length
        ? { '@odata.nextLink': `${url}?$skiptoken=${this.tokens.issueWalk({ grant, rows, position: next })}` }
        : { '@odata.deltaLink': `${url}?$deltatoken=${this.tokens.issue(grant)}` };
    return { status: 200, body: { value: rows.slice(position, next), ...link } };
  }
}

function removedJson(key: string, wording: Wording): Row {
  const id = itemId({ key, date: null }, wording.form);
  return { '@odata.type': '#microsoft.graph.event', id, '@removed': { reason: 'deleted' } };
}
