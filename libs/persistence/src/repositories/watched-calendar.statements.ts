/** A new reason to look at a watched calendar `w`: at once, after a calm. While a look is under way, its end says when the next one is due. */
export const LOOK_SOON =
  'look_at = case when w.look_lease_id is null ' +
  'then least(w.look_at, greatest(clock_timestamp(), w.calm_at)) else w.look_at end, ' +
  'hinted_at = coalesce(w.hinted_at, clock_timestamp())';

/**
 * A watched calendar `w` is about to be subscribed to, and nobody may be any more: an upkeep that is under way does not
 * forget it, and none begins until there is a subscription.
 */
export const KEEP_WATCHED =
  'upkeep_asks = w.upkeep_asks + (w.upkeep_lease_id is not null)::int, ' +
  'upkeep_at = case when w.upkeep_lease_id is null ' +
  "then greatest(w.upkeep_at, clock_timestamp() + interval '20 seconds') else w.upkeep_at end";

/** A new reason to see after the channels of a watched calendar `w`: at once, or when the present upkeep has ended. */
export const ASK_UPKEEP =
  'upkeep_asks = w.upkeep_asks + 1, ' +
  'upkeep_at = case when w.upkeep_lease_id is null then clock_timestamp() else w.upkeep_at end';

/** Ids of calendars whose channels are to be seen after, longest due first. $1: most. */
export const DUE_UPKEEP =
  'select id from watched_calendar where upkeep_at <= (select clock_timestamp()) ' +
  'order by upkeep_at limit $1 for update skip locked';
