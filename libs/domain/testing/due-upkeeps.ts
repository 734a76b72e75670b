import type { ChannelUpkeep, ProviderChannelRepository } from '#domain';

/** Claims reconciliations that are due, as a worker does one by one. */
export async function claimUpkeeps(
  channels: ProviderChannelRepository,
  { limit, leaseMs = 45_000 }: { limit: number; leaseMs?: number },
): Promise<ChannelUpkeep[]> {
  const due = await channels.dueUpkeeps(limit);
  const claimed = await Promise.all(due.map((one) => channels.claimUpkeep(one, leaseMs)));
  return claimed.filter((upkeep) => upkeep !== null);
}
