const DAY_SECONDS = 86_400;
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** Formats the start of a bucket in browser time: `14:05`, with the day for ranges of more than a day. */
export function bucketName(start: string, bucketSeconds: number): string {
  return (bucketSeconds * 48 >= DAY_SECONDS ? DAY_AND_TIME : TIME).format(new Date(start));
}
