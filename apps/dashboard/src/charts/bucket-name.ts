const DAY_SECONDS = 86_400;
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/**
 * When a bucket begins, in the time of the reader's machine: `14:05`; where a figure goes over more than a day or begins
 * on another one, with the day.
 */
export function bucketName(start: string, bucketSeconds: number): string {
  return (bucketSeconds * 48 >= DAY_SECONDS ? DAY_AND_TIME : TIME).format(new Date(start));
}
