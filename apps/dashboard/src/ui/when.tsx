import { Tooltip } from '@mantine/core';
import { absoluteTime, relativeTime } from './time-text.js';
import { useNow } from './use-now.js';

export interface WhenProps {
  /** ISO 8601; null: never. */
  at: string | null;
  /** Said for null. */
  never?: string;
  /** Both at once, where there is room. */
  isLong?: boolean;
}

/** An instant: how long ago or until, and when exactly (in the time zone of the browser). */
export function When({ at, never = 'never', isLong = false }: WhenProps) {
  const now = useNow();
  if (at === null) return <span>{never}</span>;
  const relative = relativeTime(at, now);
  const absolute = absoluteTime(at);
  if (isLong) {
    return (
      <time dateTime={at}>
        {absolute} ({relative})
      </time>
    );
  }
  return (
    <Tooltip label={absolute} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at} aria-label={`${relative}, ${absolute}`} tabIndex={0}>
        {relative}
      </time>
    </Tooltip>
  );
}
