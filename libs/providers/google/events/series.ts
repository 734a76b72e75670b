export { instanceDateOf, RecurringSeries } from '#event-rules';
