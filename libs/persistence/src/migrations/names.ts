/** In order, apart from the migrations: serving needs their names, and not what they are written with. */
export const MIGRATION_NAMES: readonly string[] = [
  'Migration20261121063518_initial',
  'Migration20261121064000_application_role',
  'Migration20261121092635_oauth',
  'Migration20261121124036_provider_slots',
  'Migration20261121134222_webhooks',
  'Migration20261121153753_webhook_options',
  'Migration20261121160512_channel_upkeep',
  'Migration20261121161100_look_causes',
  'Migration20261121172300_due_by_lane',
  'Migration20261121194051_operators',
  'Migration20261121194815_application_deletion',
  'Migration20261121194950_oversight',
  'Migration20261121231811_trace_parents',
  'Migration20261122000300_noticed_changes',
  'Migration20261122045819_policy_estimates',
  'Migration20261123010015_signed_links',
];
