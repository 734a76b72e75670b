import { Tooltip } from '@mantine/core';
import { absoluteTime, relativeTime } from './time-text.js';
import { useNow } from './use-now.js';

export interface WhenProps {
  /** ISO 8601 */
  at: string | null;
  /** Text for null. */
  never?: string;
  /** Shows relative and absolute time together. */
  isLong?: boolean;
}

/** Shows relative time, and absolute time in the browser's time zone. */
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
