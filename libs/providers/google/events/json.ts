export { listOf, textOf, textsOf } from '#event-rules';
